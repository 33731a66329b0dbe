//! Short forms of given names, and forms of one name in several languages. Each line is one name.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The first word of a line is the full form. A short form may stand in several lines.
const NAMES: &str = "\
robert bob bobby rob robbie bert
william bill billy will willy liam
elizabeth liz lizzie beth betty eliza libby lisa elisabeth
margaret peggy maggie meg greta madge
richard rick dick rich richie
james jim jimmy jamie
john jack johnny jonny
charles charlie chuck chas
thomas tom tommy
michael mike mikey mick mikhail mihail
katherine kate katie kathy cathy catherine kathryn katharine kitty ekaterina jekaterina katya
joseph joe joey
edward ed eddie ted teddy ned
theodore ted teddy theo fyodor
anthony tony anton
andrew andy drew andrei andrej
daniel dan danny
david dave davey
matthew matt
christopher chris kit topher
christina chris tina christine
nicholas nick nicky nikolai nicolas nikolaus
alexander alex sasha alec sandy xander aleksandr alexandre alejandro
alexandra alex sasha sandra alexa aleksandra
benjamin ben benny
samuel sam sammy
samantha sam sammy
jonathan jon jonny
stephen steve steven stefan stephan
patrick pat paddy
patricia pat patty trish tricia
susan sue susie suzy susanna
deborah deb debbie debra
rebecca becky becca
jennifer jen jenny
jessica jess jessie
victoria vicky tori
barbara barb babs
dorothy dot dottie dolly
frances fran frannie
francis frank frankie francisco
franklin frank frankie
francisco paco pancho kiko
jose pepe
ignacio nacho
guadalupe lupe
josephine jo josie
joanna jo joan
timothy tim timmy
gregory greg grigori
lawrence larry laurie
leonard leo len lenny
leonardo leo
donald don donny
ronald ron ronnie
raymond ray
gerald jerry gerry
jeremy jerry
kenneth ken kenny
philip phil phillip
peter pete pyotr petr
paul pavel pablo paolo
george georgi jorge georges georg
vincent vince vinny
vladimir volodya vova
dmitri dima mitya dmitry dmitrii dmitriy
ivan vanya
maria mary marie masha
anastasia nastya stacy
natalia natasha natalie
tatiana tanya
yevgeny zhenya eugene evgeny evgenii
yuri yury iurii jurij
sergei sergey serge serhii
alexei alexey aleksei alyosha alexis
mohammed muhammad mohamed mohammad muhammed mohamad mehmet mohammad
ahmed ahmad
yusuf youssef yousef yosef
hussein husain hossein husayn
fatima fatma fatimah
isaac ike yitzhak itzhak
jacob jake yaakov yakov
abraham abe avraham
moses moshe
solomon sol shlomo
albert al bert
alfred al fred alf
frederick fred freddie friedrich fritz
henry harry hank heinrich
harold harry hal
walter walt wally
eleanor ellie nell nora
helen nell nellie elena helena
abigail abby gail
amanda mandy
cynthia cindy
judith judy
jacqueline jackie
kimberly kim
melissa mel missy
melanie mel
pamela pam
rosemary rosie
sarah sally sara
teresa terry tess theresa
terence terry
valerie val
veronica ronnie nika
zachary zach zack
nathaniel nate nat
nathan nate nat
eugene gene
johannes hannes hans
hans johann johannes
sebastian seb basti
maximilian max
ludwig lutz
tomasz tomek
katarzyna kasia kaska
malgorzata gosia
krzysztof krzysiek krzys
janek jasiek jan
piotr piotrek
anna ania anka
agnieszka aga
zbigniew zbyszek
grzegorz grzesiek
wojciech wojtek
concepcion concha
dolores lola
manuel manolo manel
enrique quique
antonio tonio tono
cornelis kees cor
hendrik henk
friedrich fritz
josef sepp jupp
ulrich uli
oliver olli ollie
wolfgang wolf
katharina kathi kati
giuseppe beppe peppe pino
luigi gigi
giovanni gianni nanni
alessandro sandro ale
francesco checco
joao joaozinho
luis luisinho
nicolas nico
veronique vero
frederic fred
dominique dom";

static LINES: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut lines: HashMap<_, Vec<_>> = HashMap::new();
    for line in NAMES.lines() {
        line.split_ascii_whitespace().for_each(|form| lines.entry(form).or_default().push(line));
    }
    lines
});

/// Returns true when two given names are forms of one.
pub(super) fn are_one(a: &str, b: &str) -> bool {
    a != b && lines(a).iter().any(|line| line.split_ascii_whitespace().any(|form| form == b))
}

/// The other forms of a name.
pub(super) fn others(name: &str) -> impl Iterator<Item = &'static str> {
    lines(name).iter().flat_map(|line| line.split_ascii_whitespace()).filter(move |form| *form != name)
}

/// The full forms of the names that a short form stands for.
pub(super) fn formal(name: &str) -> impl Iterator<Item = &'static str> {
    lines(name).iter().filter_map(|line| line.split_ascii_whitespace().next())
}

fn lines(name: &str) -> &'static [&'static str] {
    LINES.get(name).map_or(&[], Vec::as_slice)
}
