//! English.

use Arity::{Many, One, OneOfKind, Unsure};
use Sense::{Became, Denied, Ended, Plain, Was};

use super::Language;
use super::rules::*;
use lacuna_types::{Sensitivity, SourceType, Tier};

pub(super) static RULES: LanguageRules = LanguageRules {
    language: Language::English,
    stop_words: "a about after all also am an and any are as at be because been before being but by can could d did do \
            does doing don for from had has have having he her here hers him his how i if in into is it its just ll \
            m me my no not now of on or our ours out over re s shall she should so some such t than that the their \
            theirs them then there these they this those to too up us ve very was we were what when where which \
            while who whom whose why will with would you your yours",
    request: REQUEST,
    clause: ClauseWords {
        regular_verbs: "accept achieve act adapt add admire adopt advise agree aim allow answer appear apply appreciate approve \
            argue arrange arrive ask assist attend avoid bake ban battle belong believe bike blog boil book borrow \
            bowl box brew broadcast browse calculate call camp cancel care carry celebrate change charge chair check \
            claim clean climb close coach code collaborate collect combine comment commute communicate compete \
            complain complete compose conduct confirm connect consider consult consume contact contain contribute \
            control convert cook coordinate cope copy count cover craft create crochet curate cycle dance date \
            debate decide decline decorate defend deliver demand deny depend describe deserve design develop die \
            dine direct disable discover discuss dislike dive donate doubt draft dream dress earn edit \
            elect embrace employ encourage enjoy enrol enroll enter establish examine exercise exist expand expect \
            experience explain explore export express face fail farm fast fear feature file film finish finalize \
            fish fix focus follow fold foster found fund gain garden gather golf grill graduate guide handle happen \
            hate head heal help hike hire hope host hunt identify ignore illustrate import improve include increase \
            inherit inject insist inspect install intend interview introduce invest investigate invite issue jog \
            join judge juggle jump kayak kick kiss knit knock lack last launch laugh learn lease lecture lift like \
            limit list listen live load lock look love maintain manage manufacture march mark marry master matter \
            measure meditate mend mentor mention migrate mind minister miss mix model monitor move narrate need \
            negotiate neglect note notice obey observe obtain occupy offer open operate oppose order organise \
            organize outsource oversee owe own pack paint park participate party pass pay perform phone photograph \
            pick pilot plan plant play pledge post pour practise practice praise pray preach prefer prepare \
            prescribe present preside prevent produce program promise promote pronounce protect prove provide \
            publish pull pump purchase push qualify question race raise reach react read realise realize receive \
            recite recognise recommend record recover recycle reduce refer refuse regard register regret rehearse \
            reject relate relax release relocate rely remain remember remind remove renew renovate rent repair \
            repeat replace reply report represent request require rescue research reserve reside resign resist \
            respect rest restore restrict retire return reuse reveal review roast row rule sail sample sanction save \
            schedule score search seem select separate serve settle share shave ship shop skate sketch ski skip \
            smile smoke sneeze snowboard solve sort specialise specialize sponsor start state stay step stop store \
            struggle study stutter subscribe succeed suffer suggest supervise supply support suppose surf surround \
            survive suspect switch tackle talk target taste tend test thank tour trace track trade train transfer \
            translate travel treat trust try tutor turn type update upgrade use value view visit volunteer vote wait \
            walk want warn wash watch water weigh welcome whistle wish wonder work worry wrestle write",
        verbs: "ate eats eat became become becomes began begins begin bought buys buy brought brings bring built builds \
            build caught catches came comes come cost costs cut cuts did does do drank drinks drink drove drives \
            drive fell falls felt feels feel fought flew flies fly forgot forgets forget found finds find gave gives \
            give got gets get goes went go grew grows grow had has have heard hears hear held holds hold hit hurt \
            hurts kept keeps keep knew knows know laid led left leaves leave lent let lets lies lost loses lose made \
            makes make meant means met meets meet paid quits rode rides ride rose rises ran runs run said says say \
            sang sings sing sat sits saw sees see sent sends send sold sells sell shot slept sleeps spent spends \
            spend spoke speaks speak stood stands stuck swam swims taught teaches teach thinks thought think threw \
            told tells tell took takes take understood understands wakes woke wears wore wear won wins wrote writes \
            swears swore draws drew draw breeds bred bind bound chose chooses choose deals dealt digs dug feeds fed \
            feed freezes froze hangs hung hides hid hosts leads lead quit sets set shakes shook \
            shines shone shoots shrinks splits split spreads spread steals stole sticks strikes struck withdrew \
            withdraws overcame overcomes undergoes underwent prefers preferred",
        bare_verbs: "eat become begin buy bring build come cut drink drive feel find fly forget get give go grow have hear \
            hold keep know leave lose make meet ride run say see sell send sing speak spend take teach tell think \
            wear do",
        auxiliaries: "am is are was were be been has have had does do did will would can could should may might must cannot \
            isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't won't wouldn't can't couldn't \
            shouldn't i'm i've i'd i'll he's she's it's we're we've they're they've you're",
        modals: "will would can could should may might must cannot won't wouldn't can't couldn't shouldn't to do does did \
            don't doesn't didn't let lets i'll i'd",
        actors: "i we he she they you user",
        determiners: "the a an my our his her their your its this that these those some any no each every both",
        adverbs: "now also currently still only just never often usually recently then always sometimes already really \
            mainly mostly actually even later soon again finally occasionally rarely regularly probably previously \
            formerly no longer",
        openers: "if when whenever unless because although though since while whether that as before after until",
        pointers: "there this it them that these those one so thus therefore hence which",
        persons: "he she they",
        persons_own: "his her their",
        coordinators: "and but plus yet",
        alternatives: "or",
        relatives: "who which whose where whom",
        tails: "because although though whereas while since",
        prepositions: "in at to for with from by of on as about into",
        abbreviations: "mr mrs ms dr prof st no vs etc e.g i.e approx dept inc ltd co jr sr",
        regular_forms,
        neutral_joints: &[("but", ", and"), ("yet", ", and")],
    },
    intent: IntentPhrases {
        // "Me" is not here: "tell me" says nothing of whose.
        own: "i|my|mine|myself",
        shared: "we|our|ours|us|my team|my team s",
        company: "the company|our company|my company|company wide|the organisation|the organization",
        documents: "the docs|our docs|the documentation|our documentation|the handbook|our handbook|the wiki|our wiki|\
            the manual",
        open: "what do you know about|what do you remember about|what do you know of",
    },
    pointer: PointerRules {
        words: &[
            ("he", Stand::Word("someone")),
            ("she", Stand::Word("someone")),
            ("it", Stand::Word("something")),
            ("they", Stand::Word("some people")),
            ("him", Stand::Word("someone")),
            ("her", Stand::Alone { next: AFTER_WHOM, alone: "someone", before: "someone's" }),
            ("them", Stand::Word("some people")),
            ("his", Stand::Word("someone's")),
            ("hers", Stand::Word("someone's")),
            ("its", Stand::Word("something's")),
            ("their", Stand::Word("some people's")),
            ("that", Stand::Alone { next: AFTER_THAT, alone: "something", before: "a" }),
            ("this", Stand::Alone { next: AFTER_THAT, alone: "something", before: "a" }),
            ("those", Stand::Alone { next: AFTER_THAT, alone: "some things", before: "some" }),
            ("these", Stand::Alone { next: AFTER_THAT, alone: "some things", before: "some" }),
            ("there", Stand::Unless { next: "is are was were s", word: "somewhere" }),
            ("same", Stand::Unknown),
        ],
        contractions: &[("re", "are"), ("ve", "have")],
    },
    fact: FACT,
    condense: CondenseRules {
        numbers: "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
            seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand \
            million billion dozen twice half",
        times: "yesterday today tomorrow tonight ago weekend weekends week weeks month months year years decade decades \
            monday tuesday wednesday thursday friday saturday sunday january february april june july august \
            september october november december",
        leaning: "it it's that that's this these those they he she you you're yes no if",
        leaning_values: "it that this these those them you your how there",
        decisions: r"(?:i|we)(?:'ve| have)? (?:finally |just |now )?(?:decided|agreed|settled on|made up (?:my|our) minds?|chose|went with)|we(?:'ll| will| shall) go with|the decision is|decision:",
        habits: r"\b(?:i|we|my \w+|our \w+)\b.{0,60}\b(?:usually|always|every (?:day|morning|evening|night|week|weekend|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|each (?:day|morning|evening|week|month|year)|(?:once|twice|three times) a (?:day|week|month|year))\b",
    },
    people: PeopleWords {
        roles: "contractor plumber electrician landlord landlady tenant dentist doctor lawyer solicitor accountant \
            teacher tutor trainer coach barber hairdresser mechanic gardener cleaner nurse therapist vet baker \
            butcher chef cook driver builder carpenter painter roofer architect engineer designer developer \
            recruiter consultant agent broker banker pastor priest rabbi imam nanny babysitter neighbour neighbor \
            janitor caretaker guard receptionist waiter waitress bartender photographer journalist editor professor \
            student intern salesman supplier vendor courier postman pharmacist surgeon physio physiotherapist \
            psychologist translator handyman locksmith tailor musician drummer guitarist guide instructor pilot \
            colleague boss manager client customer friend roommate flatmate",
        determiners: "the a an my our",
        copulas: "is was",
        origins: "from at",
        role_ends: "who that which from at of in and is was has with on for to",
        remark_ends: "who that which from at of in",
    },
    topic: TopicWords {
        stop: "a an the and or of in on at to for from by with without about as is are was were be been am do does did \
            not no never has have had i me my mine we us our you your he him his she her they them their it its this \
            that these those there here any all some every each who whom whose which what when where why how if than \
            then so but just only also still now current currently previous former new old first last more most very \
            really can could will would should may might must shall let s t",
        general: "record records information info data detail details account accounts status statuses profile history \
            note notes entry entries fact facts memory memories thing things stuff everything anything something \
            item items file files user users owner type kind usage use using used ownership owning situation level \
            primary main general related regarding concerning number numbers id ids code codes name names method \
            line current preference preferences lifestyle choice",
        roles: "patient patients customer customers client clients user users employee employees engineer engineers \
            student students vendor vendors contractor contractors athlete athletes resident residents subscriber \
            subscribers member members colleague colleagues friend friends professor doctor teacher manager boss \
            neighbour neighbor person people guy man woman lady developer developers team teams company supplier \
            reviewer tenant guest staff agent branch office department mr mrs ms dr prof",
        circumstances: "during after before while until because despite without when since",
        remarks: "the a an on in at from with of by this that who",
        joints: "to in at from with for of on by",
        numbered: "project plan phase version room team model release building block unit class group step stage operation \
            mission chapter part volume series season gate platform terminal line",
        things: THINGS,
    },
};

const THINGS: &[(Thing, Words, Words)] = &[
    (
        Thing::Home,
        "live living residence reside home hometown city town address relocation location move",
        "lives lived resides residing resident moved relocated relocate settled based apartment flat \
                neighbourhood neighborhood returned emigrated immigrated district downtown suburb",
    ),
    (
        Thing::Work,
        "work job jobs career employer employment workplace company occupation profession position role",
        "works worked working employed employee employs hired hire joined join joining quit resigned \
                promoted promotion started startup founder founded freelance freelancer engineer developer teacher \
                teach nurse lawyer accountant consultant director intern internship interviewed interview left \
                retired industry firm colleague",
    ),
    (
        Thing::Food,
        "diet dietary diets food foods eating nutrition",
        "eat eats ate meal meals vegan vegetarian veganism vegetarianism meat fish gluten halal kosher \
                fasting consume cuisine",
    ),
    (
        Thing::Marriage,
        "marital marriage relationship spouse partner",
        "married marry wife husband divorce divorced divorcing single engaged engagement fiance fiancee \
                fiancé fiancée widowed widow widower separated girlfriend boyfriend wedding dating",
    ),
    (
        Thing::Vehicle,
        "car cars vehicle vehicles transport transportation commute driving",
        "drive drives drove driver truck pickup van motorcycle motorbike scooter bike bikes cycling transit \
                lease leasing leased automobile",
    ),
    (Thing::Pet, "pet pets animal", "dog dogs puppy cat cats kitten rabbit hamster parrot horse adopted"),
    (
        Thing::Language,
        "language languages tongue",
        "speak speaks speaking spoke fluent fluently bilingual native english german french spanish italian \
                portuguese mandarin chinese japanese korean russian arabic hindi dutch swedish danish norwegian \
                polish turkish greek hebrew",
    ),
    (
        Thing::Programming,
        "programming language languages coding",
        "programmer program code codes backend frontend framework compiler script scripts",
    ),
    (Thing::Allergy, "allergy allergies allergic intolerance", "intolerant"),
    (
        Thing::Health,
        "health medical condition illness disease diagnosis",
        "diagnosed sick ill therapy treatment medication medicine prescribed prescription prescribe drug \
                dose tablets surgery hospital clinic symptoms diabetes asthma cancer depression anxiety",
    ),
    (
        Thing::Medicine,
        "medication medications medicine prescription prescriptions drugs pills",
        "prescribed prescribe takes dose mg tablets antibiotic antibiotics",
    ),
    (Thing::Income, "salary income pay wage wages compensation earnings", "earn earns earning earned bonus"),
    (
        Thing::Payment,
        "payment payments billing",
        "pay pays paying paid card credit debit invoice billed wire transfer cash cheque",
    ),
    (
        Thing::Subscription,
        "subscription subscriptions plan membership tier",
        "subscribed subscribe subscriber upgraded upgrade cancelled canceled renewal premium \
                trial",
    ),
    (
        Thing::Superior,
        "reporting manager supervisor boss hierarchy",
        "reports report reported manages managed",
    ),
    (Thing::Politics, "political politics party", "vote votes voted voter conservative liberal socialist"),
    (
        Thing::Religion,
        "religion religious faith",
        "church mosque synagogue temple christian catholic protestant muslim jewish hindu buddhist atheist \
                agnostic converted pray prays",
    ),
    (Thing::Phone, "phone phones smartphone mobile device", ""),
    (Thing::Computer, "computer computers laptop laptops workstation hardware device", "desktop pc monitor"),
    (Thing::Messages, "communication messaging chat", "communicate communicates communicating message email"),
    (
        Thing::Hobby,
        "hobby hobbies pastime leisure sport sports",
        "plays play playing chess tennis football soccer guitar piano violin painting hiking climbing \
                running cycling swimming gardening cooking photography knitting gaming",
    ),
    (
        Thing::Education,
        "education educational degree school university studies schooling",
        "doctorate master masters bachelor college studied study graduated graduate student diploma major \
                advisor advised thesis",
    ),
    (
        Thing::Family,
        "family relatives parents",
        "mother father mom mum dad sister brother siblings son daughter child children kids baby \
                grandmother grandfather aunt uncle cousin",
    ),
    (
        Thing::Housing,
        "property house housing rent estate",
        "rental rents rented landlord tenant mortgage owns owned bought sold purchased",
    ),
    (
        Thing::Drink,
        "drink drinks drinking beverage beverages",
        "drank coffee tea espresso latte beer wine alcohol alcoholic sober juice soda",
    ),
    (
        Thing::Smoking,
        "smoking tobacco",
        "smoke smokes smoker smoked cigarettes cigarette vape vaping nicotine",
    ),
    (Thing::Sleep, "sleep sleeping bedtime", "sleeps slept wake wakes insomnia nap"),
    (
        Thing::Fitness,
        "fitness exercise workout training",
        "gym exercises trains yoga pilates marathon runs running weights lifting",
    ),
    (Thing::Birth, "birthday age birth birthdate", "born aged turned"),
    (
        Thing::Travel,
        "travel trip trips holiday holidays vacation",
        "travels travelled flight flights flew hotel visited visits tour journey itinerary booked",
    ),
    (
        Thing::Meeting,
        "meeting meetings appointment appointments schedule calendar attendance",
        "scheduled event events conference attend attended attends",
    ),
    (
        Thing::Arts,
        "music films movies books reading genre",
        "song songs band album listens listening concert film movie series book novel author reads podcast",
    ),
    (
        Thing::Colour,
        "color colour colors colours",
        "red blue green yellow black white purple orange pink brown grey gray",
    ),
    (
        Thing::Password,
        "password passwords credentials login",
        "passphrase passcode pin credential token secret",
    ),
    (Thing::Mail, "email mail contact", "inbox mailbox e-mail"),
    (Thing::Insurance, "insurance", "insured insurer policy premium coverage covered"),
    (Thing::Bank, "bank banking account", "savings checking deposit banker iban"),
    (Thing::Debt, "debt debts loan loans", "owes owe owed borrowed mortgage repay repays lender"),
];

const REQUEST: RequestRules = RequestRules {
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
    remembers: "remember,please remember,don't forget,do not forget,don't ever forget,never forget,keep,keep in mind,\
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
        you may keep,you may remember,keeping,however keep,however remember,only keep,and only keep,but only keep",
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
    stray_verbs: "forget,forgot,forgotten,forgetting,delete,deleted,erase,erased,remember,remembers",
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
    ranges: &[
        ("between", "and"),
        ("from between", "and"),
        ("from", "to,until,till,through,up to,thru"),
        ("", "to,until,till,through,up to,thru"),
        ("on,in,over,during", "to,until,till,through"),
    ],
};

const FACT: FactRules = FactRules {
    patterns: &[
        named(RESIDENCE, One, Plain, r"S (?:live|lives|living|reside|resides|residing|based) in (?P<v>.+)"),
        named(RESIDENCE, One, Was, r"S (?:lived|resided|grew up|was born|was raised) in (?P<v>.+)"),
        named(
            RESIDENCE,
            One,
            Became,
            r"S (?:move|moved|moving|relocate|relocated|relocating) (?:back |over )?(?:from (?P<f>.+?) )?to (?P<v>(?-i:[A-Z]).+)",
        ),
        named("employer", One, Plain, r"S (?:work|works|working|employed) (?:at|for|by) (?P<v>.+)"),
        named("employer", One, Was, r"S worked (?:at|for) (?P<v>.+)"),
        named(
            "employer",
            One,
            Became,
            r"S (?:(?:got|took|started) (?:an? )?(?:new )?(?:job|role|position|work|working) (?:at|with)) (?P<v>(?-i:[A-Z]).+)",
        ),
        named("employer", Unsure, Became, r"S joined (?P<v>(?-i:[A-Z]).+)"),
        named(
            "employer",
            One,
            Ended,
            r"S (?:left|quit|resigned from|got fired from|stopped working (?:at|for)) (?:my job at |the job at )?(?P<v>(?-i:[A-Z]).+)",
        ),
        named("job", One, Plain, r"S (?:work|works|working|employed) as (?P<v>.+)"),
        named("job", One, Was, r"S worked as (?P<v>.+)"),
        named("job", One, Became, r"S (?:got promoted|promoted) to (?P<v>.+)"),
        named(
            "diet",
            One,
            Plain,
            r"S (?:become |became |went |turned |gone |going |eat |eats )?(?:an? )?(?:strict |mostly )?(?P<v>vegetarian|vegan|pescatarian|pescetarian|flexitarian|omnivore|omnivorous|carnivore)$",
        ),
        named(
            "marital status",
            One,
            Plain,
            r"S (?:get |got |getting )?(?P<v>single|married|divorced|widowed|engaged|separated)(?: to [a-z]+| with [a-z]+)?$",
        ),
        named("age", One, Plain, r"S (?:turned )?(?P<v>\d{1,3})(?: years? old)?$"),
        named("name", One, Plain, r"S (?:called|named|go by|goes by) (?P<v>(?-i:[A-Z]).+)"),
        named(
            "salary",
            One,
            Plain,
            r"S (?:earn|earns|earning|make|makes|making) (?:about |around )?(?P<v>(?:[$€£] ?\d[\d,.]*k?|\d[\d,.]*k? (?:dollars|euros|pounds|usd|eur|gbp))(?: (?:a|an|per) (?:year|month|hour|week))?|\d[\d,.]*k? (?:a|an|per) (?:year|month|hour|week))$",
        ),
        named("address", One, Plain, r"S (?:live|lives|living) at (?P<v>\d.+)"),
        named("car", Unsure, Plain, r"S (?:drive|drives|driving) (?:an? )?(?P<v>(?-i:[A-Z]).+)"),
        named(
            "school",
            Unsure,
            Plain,
            r"S (?:study|studies|studying|go to school|goes to school) at (?P<v>.+)",
        ),
        named("language", Many, Plain, r"S (?:speak|speaks) (?P<v>.+)"),
        named("allergy", Many, Plain, r"S allergic to (?P<v>.+)"),
        named("likes", Many, Plain, r"S (?:like|likes|love|loves|enjoy|enjoys|adore|adores) (?P<v>.+)"),
        named(
            "likes",
            Many,
            Denied,
            r"S (?:hate|hates|dislike|dislikes|detest|detests|cannot stand) (?P<v>.+)",
        ),
        named("likes", Many, Ended, r"S (?:stopped|quit|gave up) (?:liking|enjoying) (?P<v>.+)"),
        named(
            "meeting",
            OneOfKind,
            Plain,
            r"S (?:meet|meets|meeting) (?:up )?(?:every|on|at|each|in) (?P<v>.+)",
        ),
        named(
            SWITCH,
            One,
            Became,
            r"S (?:switched|switch|changed|migrated|converted|moved) (?:[a-z ]+ )?from (?P<f>.+?) to (?P<v>.+)",
        ),
        FactPattern {
            attribute: Attribute::Count,
            arity: Unsure,
            sense: Plain,
            source: r"S (?:have|has|got) (?P<v>one|two|three|four|five|six|no|an?|\d+) (?P<a>kids?|child|children|sons?|daughters?|dogs?|cats?|pets?|siblings?|brothers?|sisters?|cars?|bikes?)$",
        },
        FactPattern {
            attribute: Attribute::Group,
            arity: Unsure,
            sense: Plain,
            source: r"S (?:use|uses|using) (?P<v>.+?) (?:as|for) (?:my |the |our |his |her |their )?(?P<a>.+)",
        },
        FactPattern {
            attribute: Attribute::Group,
            arity: One,
            sense: Plain,
            source: r"(?P<v>.+?) (?P<m>(?:is|are|was|were)(?: now| not| no longer| still)*) (?P<s>my|our|the user's|(?-i:[A-Z])[\w-]+'s) (?:new |all-time |absolute )?(?P<a>favou?rite .+)",
        },
    ],
    subject: r"(?P<s>i|we|the user|user|my [a-z]+(?: (?-i:[A-Z])[\w'-]*)?|(?-i:[A-Z][a-z][\w-]*)(?: (?-i:[A-Z][a-z][\w-]*))?)",
    around: r"(?P<m>(?:(?: |')(?:now|currently|still|actually|just|recently|also|already|finally|officially|have|has|had|am|is|are|was|were|be|been|s|not|no longer|never|do|does|did|will|would|might|may|could|should|must|used to|want|wants|like|hope|hopes|plan|plans|planning|intend|thinking|of|about|considering|going|to|really|always|mainly|mostly|probably|maybe|perhaps|possibly|previously|formerly|once|love|about|once|temporarily|happily|legally|permanently|again|both|recently|today|as of today))*)",
    prefers: &[r"S (?:prefer|prefers) (?P<v>.+?) (?:over|to|rather than|instead of) (?P<f>.+)"],
    possessives: &[concat!(
        r"(?P<s>my [a-z]+ (?-i:[A-Z])[\w-]*'s|my [a-z]+'s|my|our|the user's|user's|users|the|(?-i:[A-Z])[\w-]*(?: (?-i:[A-Z])[\w-]*)?'s) ",
        r"(?:new |current )?(?P<a>[a-z][a-z0-9 '-]*?)",
        r"(?P<m>(?: (?:is|are|was|were|has|have|been|be|now|currently|still|actually|not|no longer|will|would|might|may be|could|should|used to|changed|moved|switched|rescheduled|postponed|set|scheduled|probably|maybe|always))+)",
        r"(?: (?:to|at|on|in|for|due|by|from))* (?P<v>.+)",
    )],
    time_tails: r"now|today|again|these days|nowadays|anymore|any more|yesterday|(?:since|for|last|this|in) .+",
    leads: "actually|update|also|so|well|now|currently|today|correction|fyi|note that|remember that|\
            please remember that|remember|maybe|perhaps|i think|probably|previously|formerly|in the past|\
            as of today|since [a-z]+|from now on|hedged|if|when",
    value_tails: r"with|because|since|which|who|where|when|after|before|while|until|now|anymore|any more|currently|these days|at the moment|right now|again|instead|nowadays|for now|as of|so that|for (?:the past |the last |over |about )?(?:\d+|two|three|four|five|ten|a few|many|several) (?:years?|months?|weeks?)|last (?:week|month|year|spring|summer|autumn|fall|winter|monday|tuesday|quarter)|this (?:week|month|year|spring|summer)|recently|but|in (?:19|20)\d\d|rather than|not",
    articles: "the",
    small_words: "a an my",
    naming_words: "called",
    owner: "i|we|my|our|the user|user|users",
    nobody: "he|she|it|they|this|that|there|someone|everyone|people|who|what|you|these|those|one|nobody|anyone|but|\
            and|yes|no|which|his|her|their|your|its",
    joints: "and|but|so",
    subjects_again: "i|we|my|our|the user",
    verbs_again: "work|works|live|lives|drive|drives|speak|speaks",
    conditions: "if|when|once|unless|suppose|imagine|should|assuming",
    hearsay: "said|says|told|asked|wrote|thinks|claims|believes|dreamed|dreamt",
    hedges: "might|may|maybe|perhaps|possibly|probably|would|could|should|want|wants|hope|hopes|plan|plans|planning|\
            intend|thinking|considering|going|will|think|if|when|temporarily|must|like",
    past: "was|were|used|had|did|previously|formerly|once|past",
    changes: "now|longer|changed|moved|switched|rescheduled|postponed|finally|recently|correction|update|officially",
    negations: "not|never|no",
    hedging_phrases: " am moving| is moving| are moving| am relocating|temporarily|for the summer| might |next year|\
            next month|if i |not sure|i guess|someday|one day|at least|only on|only for| also |part-time|part time|\
            sometimes|weekends|occasionally| as well|second job|freelance|during |half the year|on the side",
    past_phrases: " until | years ago| back then| as a child| as a kid| in my youth| when i was ",
    moves: " moved to| changed to| rescheduled| postponed| promoted to| switched",
    change_endings: "anymore|any more| now|these days|nowadays",
    contractions: &[
        ("I'm ", "I am "),
        ("i'm ", "i am "),
        ("I've ", "I have "),
        ("i've ", "i have "),
        ("I'd ", "I would "),
        ("I'll ", "I will "),
        ("We're ", "We are "),
        ("we're ", "we are "),
        ("We've ", "We have "),
        ("n't ", " not "),
        ("can not", "cannot"),
        ("That's ", "That is "),
        ("it's ", "it is "),
    ],
    copulas: "am|is|are|be|been|was|s",
    stating_phrases: "turned |got |went |became |become |eat|go by|goes by",
    favourites: &[("colour", "colour"), ("film", "film")],
};

/// Words that follow "that" when it stands alone.
const AFTER_THAT: Words = "is was are were has had have will would can could should must might may did does do made makes means \
            meant works worked went goes came comes happened happens sounds sounded looks looked seems seemed takes \
            took gets got needs needed helps helped hurts hurt costs cost isn wasn didn doesn won s d ll";
/// Words that follow "her" when it is whom and not whose.
const AFTER_WHOM: Words = "yesterday today tomorrow again there here at in on to for and but or when while because that with about \
            from by if last this next later once twice too now then before after as a an the not how what why where \
            who until since often never always";

fn regular_forms(base: &str) -> Vec<String> {
    vec![third_person(base), past(base)]
}

fn third_person(base: &str) -> String {
    match base.as_bytes() {
        [.., before, b'y'] if !b"aeiou".contains(before) => format!("{}ies", &base[..base.len() - 1]),
        [.., b's' | b'x' | b'z' | b'o'] | [.., b'c' | b's', b'h'] => format!("{base}es"),
        _ => format!("{base}s"),
    }
}

fn past(base: &str) -> String {
    match base.as_bytes() {
        [.., b'e'] => format!("{base}d"),
        [.., before, b'y'] if !b"aeiou".contains(before) => format!("{}ied", &base[..base.len() - 1]),
        [.., before, vowel, last]
            if is_vowel(vowel)
                && !is_vowel(before)
                && !b"aeiouwxy".contains(last)
                && base.bytes().filter(is_vowel).count() == 1 =>
        {
            format!("{base}{}ed", *last as char)
        }
        _ => format!("{base}ed"),
    }
}

fn is_vowel(byte: &u8) -> bool {
    b"aeiou".contains(byte)
}
