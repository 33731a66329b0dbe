//! Subjects that people name by a general word and speak of in many others. A line has the beginnings of the words and
//! phrases that name a subject, in the eight languages whose requests are read, folded; and sentences that speak of it, by
//! whose meaning a memory of it is known whatever words it uses.

use super::rules::Phrases;

/// The names of a subject and sentences that speak of it, divided by `|`.
pub(crate) const SUBJECTS: &[(Phrases, &str)] = &[
    (
        "where i live,my address,home address,postal address,residence,wohnort,wohnadresse,anschrift,wo ich wohn,adresse,\
         habite,domicile,direccion,donde vivo,domicilio,indirizzo,dove abito,dove vivo,morada,onde moro,onde vivo,adres,\
         waar ik woon,mieszkam,zamieszkan",
        "I live at 12 Park Street, third floor.|We moved to a flat in the city centre.|Ich wohne in der Gartenstraße 5.|\
         Vivo en la calle Mayor 3.|Mieszkam przy ulicy Polnej 8.",
    ),
    (
        "salary,my pay,wage,i earn,income,gehalt,lohn,verdien,einkommen,salaire,paie,je gagne,revenu,sueldo,salari,nomina,\
         gano,cobro,stipendio,guadagn,ordenado,vencimento,ganho,loon,inkomen,pensj,zarobk,zarabia,wynagrodzen",
        "I earn 3,000 euros a month.|My salary is 45,000 a year before tax.|After tax I get 2,200 each month.|\
         I take home 1,900 a month.|They gave me a bonus of 1,000 euros.",
    ),
    (
        "saved,saving,gespart,ersparn,rucklagen,economis,epargne,mis de cote,ahorr,risparmi,messo da parte,poupan,\
         posto de lado,spaargeld,gespaard,oszczedn,odlozy",
        "I have put aside 10,000 euros.|Every month 200 goes into my savings account.|There is money in my deposit account.",
    ),
    (
        "debt,loan,i owe,mortgage,overdraft,schuld,kredit,darlehen,hypothek,rate,dette,pret,decouvert,je dois,deuda,prestamo,\
         hipoteca,debo,debit,mutuo,prestito,divida,emprestimo,devo,lening,hypotheek,dlug,kredyt,pozycz",
        "I still owe the bank 8,000 on my loan.|My account is overdrawn by 500.|I pay off the car every month.|\
         The mortgage runs until 2040.",
    ),
    (
        "rent,miete,loyer,alquiler,affitto,renda,aluguer,huur,czynsz",
        "The rent is 900 a month.|My room costs 500 per month.",
    ),
    (
        "money,financ,finanz,geld,argent,dinero,soldi,denaro,dinheiro,pienia,pienie,finans",
        "I earn 3,000 euros a month.|I have put aside 10,000 euros.|I still owe the bank 8,000 on my loan.|\
         The rent is 900 a month.|My account is overdrawn by 500.|They gave me a bonus of 1,000 euros.",
    ),
    (
        "where i work,my work,my job,employer,workplace,career,profession,promotion,arbeit,beruf,arbeitgeber,karriere,\
         beforder,travail,boulot,metier,employeur,carriere,je bosse,trabaj,empleo,empresa,carrera,lavor,impiego,\
         datore,mestiere,carriera,emprego,carreira,profiss,werkgever,mijn werk,mijn baan,loopbaan,beroep,pracuj,pracodaw,\
         moja prac,mojej prac,moim zawodz,karier",
        "I work as a nurse at the city hospital.|I am an engineer in a large company.|I have been driving trains for twenty \
         years.|They made me team leader in May.|I teach at a secondary school.|Before that I wrote for a magazine.",
    ),
    (
        "hometown,where i m from,where i come from,where i grew,my origin,my childhood,herkunft,heimat,ich stamme,herkomme,\
         woher ich,aufgewachsen,d ou je viens,mes origines,mon village,mon enfance,de donde soy,de donde vengo,mis origenes,\
         mi pueblo,da dove vengo,mie origini,mio paese,de onde sou,de onde venho,minha terra,vandaan kom,mijn afkomst,\
         skad jestem,skad pochodz,pochodzen",
        "I grew up in a small town in the north.|I was born and raised by the sea.|I spent my childhood in that village.|\
         My family comes from that region.",
    ),
    (
        "health,medical,gesundheit,medizin,sante,medical,salud,medic,salute,saude,gezondheid,zdrowi,zdrowot",
        "I was diagnosed with an illness.|I take tablets every morning.|I am allergic to a medicine.|I see a psychologist \
         every week.|I broke my leg last year.|I have worn glasses and a hearing aid for years.|I suffer from panic attacks \
         and depression.|I had an operation on my knee.|I sleep badly.",
    ),
    (
        "diagnos,illness,disease,my condition,krankheit,erkrankung,maladie,enfermedad,malattia,doenca,aandoening,ziekte,\
         chorob,schorzen",
        "The doctor told me that I have a chronic disease.|They found an illness in the scan.|I have had this illness since \
         I was a child.",
    ),
    (
        "medication,medicine,pills,tablets,medikament,tablette,medicament,comprime,pilule,pastilla,farmac,pasticc,comprimid,\
         remedio,medicij,pillen,lekarstw,leki,lekow,tabletk",
        "I take a tablet before breakfast.|I get an injection every month.|Two pills a day with water.",
    ),
    (
        "therapy,therapist,psycholog,counsel,mental health,therapie,therapeut,ma psy,terapi,psicolog,terapeut",
        "I see a therapist on Tuesdays at five.|Every second week I talk to a psychologist.|I go to therapy.",
    ),
    (
        "politic,i vote,my vote,voting,election,wahle,gewahlt,wahlverhalten,partei,politique,je vote,parti,politica,a quien voto,\
         voto,politiek,ik stem,polityk,glosuj,glosowa",
        "I vote for the Greens.|At the last election I voted for the left.|I am a member of a political party.|\
         I handed out leaflets for the campaign.",
    ),
    (
        "union,gewerkschaft,syndica,sindica,sindaca,vakbond,zwiazk,zwiazek",
        "I joined the trade union last year.|I am a shop steward.|I have been a member of the union for ten years.",
    ),
    (
        "religio,faith,my belief,church,glaube,kirch,ma foi,eglise,croyan,mi fe,iglesia,mia fede,chiesa,minha fe,igreja,\
         geloof,kerk,wiar,wierz,koscio",
        "I stopped going to church.|I am a believer and pray every day.|I left the church years ago.|I no longer believe in \
         God.|I am an agnostic.",
    ),
    (
        "food,my taste,what i eat,what i drink,diet,vorlieben,essen,geschmack,trinke,mes gouts,manger,nourriture,boire,\
         mis gustos,comida,comer,miei gusti,cibo,mangi,a tavola,meus gostos,voorkeur,eten,drinken,smaak,jedzeni,jem i pij,\
         gust,smak",
        "I can't stand onions.|I only drink tea with milk.|My favourite dish is fish.|I don't eat meat.|I drink my coffee \
         black in the morning.",
    ),
    (
        "divorce,separat,break up,breakup,my ex,scheidung,trennung,mein ex,meine ex,divorc,rupture,mon ex,divorci,separaci,\
         mi ex,divorz,separaz,mio ex,mia ex,meu ex,minha ex,scheiding,mijn ex,mn ex,rozwod,rozsta,moj byl,moja byl,mojego byl",
        "We broke up last winter.|I got divorced three years ago.|We separated after six years.|My marriage is over.",
    ),
    (
        "sexual,orientation,orientierung,orientacion,orientamento,orientacao,geaardheid,orientacj,my relationship,dating",
        "I am gay.|I am bisexual and my family does not know.|I love a woman.|I have been seeing someone since spring.",
    ),
    (
        "my boss,my manager,my supervisor,mein chef,meine chefin,vorgesetz,mon boss,mon chef,mon patron,ma chef,mi jefe,mi jefa,\
         mio capo,meu chefe,minha chefe,mijn baas,leidinggevend,moj szef,moja szef,przelozon",
        "She runs my team.|He is the head of my department and signs off my holidays.|She is my director and wants every \
         report on time.|He makes us come in on Saturdays.",
    ),
    (
        "number plate,license plate,kennzeichen,plaque,immatricul,matricula,targa,kenteken,rejestrac",
        "My car has the registration AB12 CDE.|I drive a blue car, number plate XY 123.",
    ),
    ("allerg,alerg,intoleran,nietoleran", "I am allergic to nuts.|I can't have milk, I am intolerant."),
    (
        "pregnan,schwanger,grossesse,enceinte,embaraz,gravid,incinta,zwanger,ciaz",
        "I am expecting a baby.|She is pregnant with twins.|I lost a pregnancy.",
    ),
];
