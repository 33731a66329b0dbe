//! Requests to forget, and words for times.

use super::super::rules::*;
use lacuna_types::{Sensitivity, SourceType, Tier};

pub(super) const REQUEST: RequestRules = RequestRules {
    polite: "please,pls,kindly,hey,hi,hello,ok,okay,well,so,now,actually,also,and,then,oh,look,listen,sorry,thanks,\
        assistant,dear assistant,could you,can you,would you,will you,could you just,can you just,would you mind,\
        would you be so kind as to,could i ask you to,may i ask you to,can i ask you to,i'd like you to,\
        i would like you to,i want you to,i need you to,i'd like to ask you to,i'd like to,i would like to,i want to,\
        i need to,i wish to,let's,let us,it would be great if you could,i'd appreciate it if you could,you can,\
        you may,you should,you must,you need to,you have to,go ahead and,feel free to,if possible,do me a favour and,\
        do me a favor and,i'd prefer you to,i'd rather you,help me,lacuna",
    closing: "please,pls,thanks,thank you,thank you very much,many thanks,thx,cheers,for me,ok,okay,now,right now,\
        immediately,at once,permanently,completely,entirely,forever,for good,for ever,if you can,if possible,\
        would you,could you,will you,from your memory,from memory,from the memory,from your records,from my memory,\
        from your database,from my vault,out of your memory,from there,from what you know,anymore,any more,any longer,\
        as soon as possible,asap,again,altogether,lacuna",
    frames: &[
        (
            "forget,undo,take back,forget about,forgetting,forgetting about,forget all about,delete,deleting,erase,erasing,remove,\
             removing,wipe,wiping,wipe out,clear,clearing,clear out,clear up,purge,drop,scrub,discard,get rid of,\
             destroy,strike,scratch,unlearn,expunge,throw away,throw out,lose,rub out,un-remember,\
             don't remember,do not remember,never remember,stop remembering,stop storing,no longer remember,\
             not remember,not know,not know about,don't store,do not store,don't keep,do not keep,don't save,\
             do not save,stop keeping,not keep,not store,not have,\
             i no longer want you to remember,i no longer want you to know,i no longer want you to keep,\
             i don't want you to remember,i do not want you to remember,i don't want you to know,\
             i do not want you to know,i don't want you to know about,i don't want you to keep,\
             i don't want you to store,i do not want you to store,i don't want you to have,i never want you to remember,\
             i don't want you remembering,i don't wish you to remember,i'd rather you didn't remember,\
             i'd rather you not remember,i'd prefer you didn't remember,you don't need to remember,\
             you do not need to remember,you need not remember,you shouldn't remember,you should not remember,\
             you shouldn't know,you should not know,you mustn't remember,you must not remember,\
             don't hold on to,let go of",
            "",
        ),
        (
            "i want,i'd like,i would like,i need",
            "forgotten,deleted,erased,removed,gone,wiped,cleared,to be forgotten,to be deleted,to be erased",
        ),
        ("make", "disappear,go away"),
        ("take", "out of your memory,out of memory,out of your records"),
    ],
    remembers: "remember,please remember,don't forget,do not forget,don't ever forget,never forget,keep,keeping,keep in mind,\
        bear in mind,don't delete,do not delete,don't erase,never delete,do not erase,don't remove,do not remove,\
        don't clear,don't wipe,save,store,memorise,memorize,note,note that,learn",
    asks: "do you,did you,did i,have you,have i,are you,were you,does,what do,what did,what have,what can,what would,\
        what happens,what is,what are,what's,who is,who's,who was,how do,how did,how does,how can,how would,how much do,\
        how many,how come,why,when did,when do,where did,where do,which of,is it,is there,is that,are there,was there,\
        tell me,show me,list,explain,should i,should we,should you,can i,could i,may i,am i,would it,will it,find,\
        search,recall,can it,remind me,what if,would you forget if,have we,did we,do we,do i",
    doubts: "never mind,maybe,perhaps,or not,i guess,not sure,i'm not sure,i am not sure,i think,i suppose,probably,possibly,\
        or something,or whatever,or so,i don't know,i wonder,hm,hmm,someday,some day,one day,if you like,\
        if you want,kind of,sort of",
    keeps: "but keep,but remember,but do keep,but do remember,but please keep,but please remember,but still keep,\
        but still remember,but you can keep,but you can remember,but you can still remember,but you can still keep,\
        but you may keep,but you may remember,but you should keep,but you should remember,but you can know,\
        but i want you to keep,but i want you to remember,but i'd like you to keep,but i'd like you to remember,\
        but don't forget,but do not forget,but don't delete,but do not delete,but leave,but never forget,\
        but hold on to,but not,but retain,but preserve,but continue to remember,but keep remembering,but save,\
        and keep,and remember,and leave,yet keep,yet remember,though keep,though you can keep,\
        though you can remember,while keeping,while remembering,you can keep,you can remember,you can still remember,\
        you may keep,you may remember,however keep,however remember,only keep,and only keep,but only keep",
    excepts: "except,except for,except that,excepting,apart from,aside from,other than,excluding,save for,\
        with the exception of,not including,just not",
    but: "but,but for,besides",
    not: "not,isn't,is not,aren't,are not,doesn't,does not,don't,do not,wasn't,was not,hasn't,has nothing,have nothing",
    several: "last few,last two,last three,last four,last five,last ten,last couple of,last several,last 2,last 3,last 4,\
        last 5,last 10,few,several,some of,most of,half of,most recent few",
    again: "and forget,and also forget,and delete,and also delete,and erase,and remove,and clear,and wipe,then forget,\
        then delete,also forget,also delete,but forget,but delete,but erase,but remove,but do forget,but please forget,\
        but please delete,plus forget,but clear,but don't remember,but do not remember,and don't remember,\
        and do not remember",
    and: "and,as well as,and also,plus,or",
    only: "only,just,nothing but,just the,only the,specifically,and nothing else,nothing else,and only that,alone",
    quantifiers: "everything,every thing,anything,all,all of,any,every,each,every single,whatever,any and all,all and any,\
        absolutely everything,literally everything,all the,the whole,the entire,every last",
    determiners: "the,my,our,your,a,an,this,that,these,those,his,her,their,its,some,of,mine,any,such,said",
    records: "memory,memories,record,records,information,info,infos,data,detail,details,fact,facts,thing,things,stuff,\
        note,notes,mention,mentions,reference,references,message,messages,entry,entries,knowledge,trace,traces,\
        statement,statements,item,items,material,remark,remarks,file,files",
    relatives: "that,which,what,i,you,we,i've,you've,we've,have,had,has,know,knew,known,remember,remembered,learned,learnt,\
        stored,saved,kept,keep,store,hold,told,tell,said,say,mentioned,discussed,talked,spoke,wrote,shared,gave,heard,\
        noted,ever,just,to,with,been,collected,recorded,got,there is,is,are,were,was,happened,us,together,may have,\
        might have,still,currently,already",
    abouts: "about,on,of,regarding,concerning,related to,relating to,relate to,relates to,that relate to,that relates to,\
        mentioning,that mention,that mentions,which mention,which mentions,mention,mentions,that mentioned,involving,\
        that involve,that involves,containing,that contain,that contains,to do with,having to do with,\
        that has to do with,that have to do with,has to do with,pertaining to,in connection with,connected to,\
        connected with,linked to,referring to,that refer to,that refers to,around,associated with,in relation to,\
        with regard to,with respect to,in regard to,as regards,touching on,from,naming,that name,that names,to,\
        about the fact that,the fact that,about how,that are about,that is about,which are about,with",
    says: "i ever mentioned,i ever told you about,i ever mentioned that,i ever told you that,i said,i told you,i told you that,i said that,i mentioned,i mentioned that,i've told you,i have told you,\
        i've said,i have said,i just said,i just told you,i just mentioned,i wrote,i shared,i shared with you,we talked,\
        we talked about,we discussed,we've discussed,we spoke,we spoke about,you said,you told me,you learned,\
        you learnt,you remembered,you stored,you saved,we said,i gave you,i ever told you,i ever said,i let slip,\
        i confided,i confided in you",
    everything: "everything,all,it all,absolutely everything,literally everything,all of it,everything about me,\
        everything you know about me,everything you know,all you know,all you know about me,everything you remember,\
        everything you have,everything you have on me,everything you've got on me,everything you have stored,\
        everything you remember about me,everything i told you,everything i've told you,everything i have told you,\
        everything i ever told you,everything i've ever told you,everything i said,all memories,all my memories,\
        all of my memories,all your memories,all the memories,every memory,my memories,your memories,memories,memory,\
        all memory,your memory,my memory,the memory,your entire memory,the whole memory,your whole memory,\
        all my data,my data,all data,all of my data,all information,all my information,all information about me,\
        all data about me,all my personal data,me,me completely,who i am,all of this,all of that,my whole vault,\
        the whole vault,my vault,the vault,all records,all my records,my entire history,my whole history,my history,all history,\
        anything about me,anything you know about me,anything and everything,every single thing,me and everything about me",
    last_said: "that,this,what i said,what i just said,what i've just said,what i have just said,what i told you,\
        what i just told you,what i just mentioned,what i mentioned,the last thing i said,the last thing i told you,\
        the last thing i mentioned,the last thing,the last thing i wrote,my last message,my last sentence,the last message,\
        my last statement,my last remark,the thing i just said,the thing i just told you,the previous message,\
        my previous message,that last thing,that last bit,that last part,the last bit,that last message,what i wrote,\
        what i just wrote,that thing i just said,that thing i just told you,the last one,the thing i said,\
        last thing i said,the last memory,the last sentence,that one,that i said that,i said that,what i last said,\
        the most recent thing i said,that bit,that part,the latest message,my latest message",
    nothing: "all,everything,both,none,old,older,oldest,new,newer,recent,latest,last,previous,it,they,them,him,her,he,she,you,we,us,i,one,ones,the,a,an,and,or,of,to,in,on,at,by,for,from,with,as,if,so,\
        be,is,are,was,were,am,do,does,did,not,no,some,something,someone,somebody,thing,things,stuff,about,this,that,\
        these,those,there,here,then,than,too,very,much,more,my,your,his,their,our,nothing,anyone,anybody,\
        yes,hmm,um,uh,who,whom,what,which,why,how,when,where,please,remember,forget,delete,erase,clear,remove,wipe,\
        keep,know,but,just,only,also,well,back,off,out,up,same,other,another,later,soon,once,date,dates,day,time,\
        until,before,after,since,between,during",
    talk: "last conversation,last chat,last session,last discussion,last talk,latest conversation,previous conversation,\
        previous chat,previous session,whole conversation,entire conversation,conversation,chat,discussion,talk,session,exchange,dialogue,dialog,thread,call,meeting with you",
    talks: "conversations,chats,discussions,talks,sessions,exchanges,dialogues,dialogs,threads,chat history,\
        conversation history,chat logs",
    talk_tails: "with you,with me,we had,we've had,that we had,i had with you,between us,we have had,together,you and i had",
    categories: &[
        (
            Sensitivity::Health,
            "health,medical history,health history,medical conditions,health conditions,health issues,health matters,\
             medical matters,mental health,medical issues,medical stuff,health stuff,health record,health records,\
             medical record,medical records,health and fitness",
            "medical,medicine,illness,illnesses,diagnosis,diagnoses,medication,fitness,sickness,wellness,health related,\
             health-related,healthcare,medical and health",
        ),
        (
            Sensitivity::Financial,
            "finances,finance,financial matters,financial situation,money matters,financial affairs,financial stuff,\
             money stuff,financial history,financial details",
            "financial,money,bank,banking,payment,payments,credit card,income,bank account,economic",
        ),
        (
            Sensitivity::Biometric,
            "biometrics,biometric features,biometric identifiers",
            "biometric,fingerprint,fingerprints,face recognition,facial recognition,voiceprint,iris,dna,genetic",
        ),
        (
            Sensitivity::Location,
            "locations,location,whereabouts,location history,location data,places i have been,places i've been,\
             where i have been,where i've been,movements,geolocation",
            "gps,address,place,places,travel location,geographic,position",
        ),
        (
            Sensitivity::PoliticalReligious,
            "political views,political opinions,political beliefs,politics,religion,religious beliefs,religious views,faith,\
             beliefs,politics and religion,religion and politics,political and religious views,\
             political and religious beliefs,religious and political views,religious and political beliefs,worldview",
            "political,religious,belief,political and religious,religious and political,political or religious",
        ),
        (
            Sensitivity::Relationships,
            "relationships,personal relationships,relationship matters,family and relationships,\
             relationships and family,family relationships,love life,private relationships,relationship stuff",
            "relationship,family,dating,marital,romantic,partner,friends and family,family and friends",
        ),
        (
            Sensitivity::Professional,
            "professional life,work life,working life,career,employment history,work history,job history,career history,\
             professional matters,work matters,work stuff,job stuff,professional stuff",
            "professional,work,job,employment,career,occupational,business,work related,work-related,job related",
        ),
        (
            Sensitivity::Preferences,
            "preferences,preference,likes and dislikes,likes,dislikes,tastes,personal preferences,user preferences",
            "preference,taste",
        ),
    ],
    tiers: &[
        (Tier::Working, "working memory,working memories,working tier,working-memory,the working tier"),
        (Tier::Episodic, "episodic,episodic memory,episodic memories,episodic tier,episodes"),
        (Tier::Semantic, "semantic,semantic memory,semantic memories,semantic tier"),
    ],
    sources: &[
        (
            SourceType::AiInference,
            "inferences,your inferences,your guesses,your assumptions,your conclusions,guesses,assumptions,\
             inferred memories,ai inferences,you inferred,you guessed,you assumed,you concluded,what you inferred,\
             that you inferred,you have inferred,you inferred about me,what you inferred about me,\
             what you guessed about me,what you guessed,inferred facts,ai inference",
        ),
        (
            SourceType::ToolOutput,
            "tool output,tool outputs,tool results,that came from tools,from tools,that tools returned,from tool output,\
             from a tool,that came from a tool,from web pages,that came from web pages",
        ),
        (
            SourceType::ExplicitSave,
            "saved on request,i saved,that i saved,i asked you to remember,that i asked you to remember,\
             what i asked you to remember,i asked you to save,explicit saves,explicitly saved memories",
        ),
    ],
    tagged: "tagged,tagged with,tagged as,with the tag,with the tags,with tag,with tags,labelled,labeled,under the tag",
    bound: "personal,private,contact,sensitive,confidential,secret,key,important,useful,public,general,open,missing,\
        criminal,world,track,vinyl,big,open-source,meta,raw,test,tech,technical",
    elisions: "",
    abbreviations: "dr mr mrs ms prof st inc ltd corp co jr sr no vs approx",
    calendar: &CALENDAR,
};

static CALENDAR: Calendar = Calendar {
    days: [
        "monday,mon,mondays",
        "tuesday,tue,tues,tuesdays",
        "wednesday,wed,wednesdays",
        "thursday,thu,thur,thurs,thursdays",
        "friday,fri,fridays",
        "saturday,saturdays",
        "sunday,sundays",
    ],
    months: [
        "january,jan",
        "february,feb",
        "march",
        "april,apr",
        "may",
        "june,jun",
        "july,jul",
        "august,aug",
        "september,sep,sept",
        "october,oct",
        "november,nov",
        "december,dec",
    ],
    short_months: "mar",
    numbers: &[
        "a,an,one,1",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
    ],
    ordinals: "st nd rd th",
    units: &[
        (TimeUnit::Minute, "minute,minutes,min,mins"),
        (TimeUnit::Hour, "hour,hours"),
        (TimeUnit::Day, "day,days"),
        (TimeUnit::Week, "week,weeks"),
        (TimeUnit::Month, "month,months"),
        (TimeUnit::Quarter, "quarter,quarters"),
        (TimeUnit::Year, "year,years"),
    ],
    parts: &[
        (DayPart::Morning, "morning"),
        (DayPart::Afternoon, "afternoon"),
        (DayPart::Evening, "evening"),
        (DayPart::Night, "night"),
    ],
    patterns: &[
        ("?earlier today", TimeMeaning::DaysAgo(0)),
        ("today earlier", TimeMeaning::DaysAgo(0)),
        ("yesterday", TimeMeaning::DaysAgo(1)),
        ("?the day before yesterday", TimeMeaning::DaysAgo(2)),
        ("the other day|week|night", TimeMeaning::Loose),
        ("tomorrow", TimeMeaning::Future),
        ("next #unit|#day|#month", TimeMeaning::Future),
        ("#figures", TimeMeaning::Figures),
        ("?the #day", TimeMeaning::Weekday),
        ("?the last|past|previous #day", TimeMeaning::Weekday),
        ("this #day", TimeMeaning::ThisWeekday),
        ("#day ?of last week", TimeMeaning::WeekdayLastWeek),
        ("?the #dom ?of #month ?#year", TimeMeaning::MonthDay),
        ("?#day ?the #dom ?of #month ?#year", TimeMeaning::MonthDay),
        ("#month ?the #dom ?#year", TimeMeaning::MonthDay),
        ("#day #month ?the #dom ?#year", TimeMeaning::MonthDay),
        ("?the #dom to|until|till|through #dom2 ?of #month ?#year", TimeMeaning::MonthDays),
        ("#month #dom to|until|till|through #dom2 ?#year", TimeMeaning::MonthDays),
        ("#doms ?of #month ?#year", TimeMeaning::MonthDays),
        ("#month #doms ?#year", TimeMeaning::MonthDays),
        ("#month ?of ?#year", TimeMeaning::Month),
        ("last #month", TimeMeaning::LastMonth),
        ("this #month", TimeMeaning::Month),
        ("#year", TimeMeaning::Year),
        ("the year #year", TimeMeaning::Year),
        ("#q ?of ?#year", TimeMeaning::Quarter),
        ("?the last|previous #unit", TimeMeaning::LastUnit),
        ("this #unit", TimeMeaning::ThisUnit),
        ("the past #unit", TimeMeaning::Rolling),
        ("past #unit", TimeMeaning::Rolling),
        ("?the last|past|previous #n #unit", TimeMeaning::Rolling),
        ("?the last|past few|couple ?of #unit", TimeMeaning::Loose),
        ("recently|lately|once", TimeMeaning::Loose),
        ("#n #unit ago", TimeMeaning::Ago),
        ("?a couple of #unit ago", TimeMeaning::Loose),
        ("?a few|some|several #unit ago", TimeMeaning::Loose),
        ("older than #n #unit", TimeMeaning::Older),
        ("more than #n #unit ago", TimeMeaning::Older),
        ("more than #n #unit old", TimeMeaning::Older),
        ("over #n #unit ago", TimeMeaning::Older),
        ("over #n #unit old", TimeMeaning::Older),
        ("this #part", TimeMeaning::PartToday),
        ("tonight", TimeMeaning::DaysAgo(0)),
        ("yesterday #part", TimeMeaning::PartYesterday),
        ("last #part", TimeMeaning::PartYesterday),
        ("?last #day #part", TimeMeaning::PartWeekday),
        ("?the last|previous|past weekend", TimeMeaning::Weekend),
        ("the weekend", TimeMeaning::Weekend),
    ],
    before: "before,prior to,earlier than,from before,until before,older than,that is older than,preceding",
    after: "after,later than,newer than,from after",
    since: "since,starting,starting from,from after the start of,beginning,as of,ever since",
    until: "until,till,up to,up until,through,up to and including,to the end of",
    from: "from,dated,from on,that are from,made,made on,said on,from around,recorded on,had on,from back in",
    on: "on,of,for,in,at,during,over,within,throughout,back in,back on,in the course of",
    onwards: "onwards,onward,on,and later,and after,forward",
    asks_when: "when,how long ago,what date,which date,what day,which day,what month,which month,what year,which year,on what date,on which date,in what year,in which year,in what month,in which month",
    ranges: &[
        ("between", "and"),
        ("from between", "and"),
        ("from", "to,until,till,through,up to,thru"),
        ("", "to,until,till,through,up to,thru"),
        ("on,in,over,during", "to,until,till,through"),
    ],
};
