//! Words around a request to forget, in the eight languages whose requests are read: verbs that ask for it, and words that
//! wrap its topic. Folded as names are; a word that is one in any of the languages is none of the topic.

use super::rules::Words;

/// Verbs and particles that ask to forget.
pub(crate) const FORGETS: &[Words] = &[
    "forget forgetting forgotten delete deleting deleted remove removing removed erase erased wipe drop clear scrap purge \
     discard bin ditch rid",
    "vergiss vergessen vergisst losch losche loschen loscht loesche loeschen loesch entfern entferne entfernen streich \
     streiche streichen tilge tilgen weg raus wegmachen rausnehmen",
    "oublie oublier oubliez oublies efface effacer effacez effaces supprime supprimer supprimez enleve enlever retire \
     retirer",
    "olvida olvidar olvides olvide olvidalo olvidala borra borrar borres borre borralo borrala elimina eliminar elimines \
     elimine quita quitar fuera",
    "dimentica dimenticare dimentichi dimenticati cancella cancellare cancelli cancellalo elimina eliminare togli \
     togliere toglilo toglila rimuovi rimuovere",
    "esquece esquecer esquecas esqueca apaga apagar apagues apague elimina eliminar elimine remove remover tira tirar \
     retira retirar fora",
    "vergeet vergeten verwijder verwijderen wis wissen schrap schrappen gewist verwijderd eruit",
    "zapomnij zapomniec zapomnial usun usunac usuniecia usuwac skasuj skasowac wymaz wymazac wykresl wyrzuc wyrzucic \
     wywal wywalic",
];

/// Beginnings of such verbs in their other forms.
pub(crate) const FORGET_STEMS: Words = "forget delet eras vergess losch entfern tilg oubli effac supprim olvid borr elimin \
    dimentic cancell rimuov esquec apag vergeet vergeten verwijder schrap zapomn zapomin usun skasow kasow wymaz";

/// Verbs of keeping and knowing, which ask to forget beside a negation.
pub(crate) const KEEPS: Words = "keep keeping kept store stored save saved remember know knew known \
    behalten behaltst merken gemerkt speichern gespeichert wissen weisst wusstest garder garde gardes gardiez retenir savoir \
    saches guardar guardes guarde recordar recuerdes saber sepas supieras tenere tenga ricordare ricordi sapere sappia sapessi \
    guarde lembrar lembres saibas soubesses bewaren bewaar onthouden weten wist trzymac trzymaj pamietac pamietal pamietala \
    wiedziec wiedzial wiedziala";

/// Words that name an exception in the midst of a message: keeping, remembering, leaving out. By their beginnings.
pub(crate) const EXCEPTIONS: Words = "keep remember except behalte merk ausser garde souvien conserv sauf recuerd guard excepto \
    salvo ricord tien tranne lembr mante exceto onthou bewaar behalve laat hou zostaw zachow pamieta oprocz poza";

/// Negations beside them.
pub(crate) const NEGATIONS: Words = "not dont didnt doesnt wouldnt without stop nicht nichts kein keine ne pas plus no non nao nunca niet geen nie";

/// Words that wrap a topic: polite, spoken and small words, and words for memories and information.
pub(crate) const WRAPS: &[Words] = &[
    "please pls kindly could can would you your yours will im me my mine we our ours us it its that this those these \
     the an of to from for about regarding concerning on in at with and or but not no dont do does did didnt be is are was \
     were been being have has had want wanted wish like love rather prefer need needs should shouldnt must may might let make \
     sure everything anything something nothing all any every whatever what which who whom where when why how stuff thing \
     things bit info information details detail data record records note notes memory memories remember know known knows \
     keep kept keeping store stored save saved told tell said say says mention mentioned talk talked again anymore \
     more longer just only really actually well so um uh er yeah yes right okay ok hey hi hello thanks thank many sorry there \
     here now then too also ever never if as by he she him her his hers they them their theirs get take out away up went \
     whole one ones because since anyway business matter matters trouble favour grateful",
    "bitte konntest konnten kannst konnen kannste wurdest wurden wurde warst ware mochte mochtest magst mag du dich dir dein \
     deine deiner deinem deinen sie ihnen ich mich mir mein meine meinen meinem meiner meines unser unsere unseren unserem \
     uns wir der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine keinen mehr alle \
     alles allem etwas was wer wen wem wo wie wann warum welche welcher welches welchen dass ist sind war waren sein \
     hat habe haben hast hatte wird werden soll sollte sollst muss musst musste darf uber von vom zu zum zur mit ohne fur \
     auf an am im in ins bei aus nach ja nein mal doch danke also ah ahm halt eben einfach wieder nur noch schon sache \
     sachen zeug ding dinge daten information informationen angaben gespeichert speichern merken gemerkt behalten weisst \
     wissen gesagt sage erzahlt erzahlen erwahnt steht stehen irgendwo irgendwas niemand niemanden jemand man es er ihn ihm \
     ihr ihre ganze ganzen mach mache machen nimm lieb nett freundlich gern gerne hier da weil damit",
    "svp stp plait te vous tu toi ton ta tes votre vos je moi mon ma mes me nous notre nos le la les un une des de du et ou \
     mais ne pas plus rien tout tous toute toutes quelque chose choses truc trucs ce cet cette ces ca cela que qu qui quoi \
     dont quand comment combien est sont etait etre ai as avons avez ont avoir aviez auriez peux peut pourrais pourriez \
     pouvez veux veut voudrais voudriez bien aimerais prefere prefererais dois devrait faut sur pour par avec sans dans en \
     au aux chez y dit dis parle parler raconte sais savoir memoire garde garder info infos informations donnees euh ben bah \
     hein la donc alors voila il elle lui leur leurs son sa ses on se merci tomber laisse laisser concerne propos sujet \
     gentillesse si car parce",
    "favor podrias puedes podria puede podrian quieres querria quiero quisiera gustaria preferiria mi mis yo tu tus te ti \
     usted su sus lo la los las el un una unos unas de del y o pero no ni nada algo todo toda todos todas que quien cual \
     donde cuando como cuanto es son era ser esta estan estar ha he has han hay haber sobre para por con sin en al se le \
     les ya mas solo eso esto ese esa aquello cosa cosas dato datos informacion memoria recuerda recordar guarda guardes \
     guardar sabes saber dije dicho conte contado gracias bueno pues ver oye eh mira porfa me nos nuestro nuestra importaria \
     si porque",
    "favore potresti puoi potrebbe puo potete vorrei voglio vuoi preferirei mi mio mia miei mie io tu ti tuo tua tuoi tue \
     lei le suo sua suoi sue lo la gli il un una uno di del della dei delle dello degli ma non nulla niente qualcosa tutto \
     tutta tutti tutte che chi cosa dove quando come quanto sono era essere sta stare ha ho hai hanno avere su sul sulla \
     sui sulle per con senza in al alla da dal dalla ci si se piu solo cio quello quella quelli questo questa cose dati dato \
     informazioni memoria ricordare ricorda tenere sapere sai detto raccontato grazie allora beh boh ecco eh dai via mai \
     dispiacerebbe perche",
    "favor podias podes poderia pode podia queria quero gostava gostaria preferia me mim meu minha meus minhas eu tu te teu \
     tua teus tuas voce lhe seu sua seus suas os as um uma de do da dos das ou mas nao nada algo tudo todo toda todos \
     todas que quem qual onde quando como quanto sao era ser esta estao estar ha tem tenho tens ter sobre para por com sem \
     em no na nos nas ao aos se ja mais so isso isto esse essa aquilo coisa coisas dado dados informacao informacoes memoria \
     lembrar lembra guardar guardes guarda saber sabes disse dito contei obrigado obrigada olha pois bem entao la ai \
     importava porque",
    "haal gooi graag alsjeblieft alstublieft aub kun kan kunt kunnen zou zouden wil wilt willen je jij jou jouw uw ik mij \
     me mijn wij we ons onze de het een van en of maar niet geen niets iets alles al alle wat wie waar wanneer hoe hoeveel \
     welke dat die dit deze is zijn was waren heeft heb hebben had worden wordt moet moeten mag over voor met zonder in \
     op aan bij uit naar te er daar hier nog meer even gewoon toch dus nou eh ja nee ding dingen spul gegevens informatie \
     geheugen onthouden weten weet bewaren bewaar opgeslagen gezegd verteld vertelde bedankt dank hij zij ze hem haar hun \
     weg liever omdat als",
    "prosze mozesz moglbys moglabys czy chce chcialbym chcialabym wolalbym wolalabym moj moja moje moich mojego mojej \
     mojemu moim mna mnie mi ja ty ci ciebie tobie toba twoj twoja twoje pan pani nasz nasza nasze ale lub albo nie nic cos \
     wszystko wszystkie wszystkich wszystkim co kto kogo gdzie kiedy jak ile ktory ktora ktore to ten ta te tego tej tym \
     tych jest sa byl byla bylo byc ma mam masz miec od do ze we na po za dla przez przy bez sie juz wiecej tylko rzecz \
     rzeczy sprawa dane danych informacje informacji pamiec pamieci pamietac pamietaj wiedziec wiesz trzymac trzymaj \
     zapisane mowilem mowilam powiedzialem powiedzialam dzieki dziekuje no wiec dobra okej on ona jego jej ich bo",
];
