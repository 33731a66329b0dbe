use super::*;

fn check(cases: &[(&str, &str, Sameness)]) {
    let mut wrong = Vec::new();
    for (a, b, expected) in cases {
        for (a, b) in [(a, b), (b, a)] {
            let found = same_name(a, b);
            if found != *expected {
                wrong.push(format!("{a} and {b}: expected {expected:?}, found {found:?}"));
            }
        }
        let keys = PersonName::new(a).keys();
        if *expected == Sameness::Same && !PersonName::new(b).keys().iter().any(|key| keys.contains(key)) {
            wrong.push(format!("{a} and {b} share no key: {keys:?} {:?}", PersonName::new(b).keys()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_name_in_many_scripts() {
    use Sameness::*;
    check(&[
        ("Иван Петров", "Ivan Petrov", Same),
        ("Наталья Соколова", "Natalya Sokolova", Same),
        ("Дмитрий Орлов", "Dmitry Orlov", Same),
        ("Дмитрий Орлов", "Dmitrii Orlov", Same),
        ("Евгений", "Yevgeny", Same),
        ("Юлия Щербакова", "Yulia Shcherbakova", Same),
        ("Михаил Чехов", "Mikhail Chekhov", Same),
        ("Олександр Шевченко", "Oleksandr Shevchenko", Same),
        ("Νίκος", "Nikos", Same),
        ("Νίκος Παπαδόπουλος", "Nikos Papadopoulos", Same),
        ("Γιώργος", "Giorgos", Same),
        ("Δημήτρης", "Dimitris", Same),
        ("张伟", "Zhang Wei", Same),
        ("张伟", "Wei Zhang", Same),
        ("張偉", "Zhang Wei", Same),
        ("王芳", "Wang Fang", Same),
        ("刘晓明", "Liu Xiaoming", Same),
        ("李娜", "Lee Na", Same),
        ("北京", "Beijing", Same),
        ("上海", "Shanghai", Same),
        ("田中太郎", "Tanaka Taro", Same),
        ("田中太郎", "Taro Tanaka", Same),
        ("田中 太郎", "Tanaka Tarō", Same),
        ("鈴木花子", "Suzuki Hanako", Same),
        ("佐藤さくら", "Sakura Sato", Same),
        ("さくら", "Sakura", Same),
        ("タロウ", "Taro", Same),
        ("김민지", "Kim Minji", Same),
        ("김민지", "Kim Min-ji", Same),
        ("김민지", "Minji Kim", Same),
        ("박서준", "Park Seo-jun", Same),
        ("이지은", "Lee Jieun", Same),
        ("محمد علي", "Mohammed Ali", Same),
        ("خالد حسن", "Khaled Hassan", Same),
        ("وليد منصور", "Walid Mansour", Likely),
        ("דוד כהן", "David Cohen", Same),
        ("גיא ברקוביץ", "Guy Berkovits", Likely),
        ("राज शर्मा", "Raj Sharma", Same),
        ("प्रिया वर्मा", "Priya Verma", Different),
        ("सुनीता", "Sunita", Same),
        ("विकास कुमार", "Vikas Kumar", Same),
        ("สมชาย", "Somchai", Same),
        ("มานี", "Mani", Same),
        ("Großmann", "Grossmann", Same),
        ("José", "Jose", Same),
        ("Nguyễn", "Nguyen", Same),
        ("Müller", "Mueller", Same),
        ("Müller", "Muller", Same),
        ("Søren", "Soren", Same),
        ("Łukasz", "Lukasz", Same),
        ("Ångström", "Angstrom", Same),
        ("Татьяна Кузнецова", "Tatyana Kuznetsova", Same),
        ("Татьяна", "Tatiana", Same),
        ("Сергей", "Sergey", Same),
        ("Сергей", "Sergei", Same),
        ("Алексей Жуков", "Alexey Zhukov", Same),
        ("Юрий Цой", "Yuri Tsoi", Same),
        ("Фёдор", "Fyodor", Same),
        ("Хрущёв", "Khrushchev", Same),
        ("Владимир", "Wladimir", Same),
        ("Москва", "Moskva", Same),
        ("Киев", "Kiev", Same),
        ("Київ", "Kyiv", Same),
        ("Αθήνα", "Athina", Same),
        ("Γιάννης", "Yannis", Same),
        ("Μαρία Καλλιόπη", "Maria Kalliopi", Same),
        ("Χρήστος", "Christos", Same),
        ("Ευάγγελος", "Evangelos", Same),
        ("王小明", "Wang Xiaoming", Same),
        ("陈静", "Chen Jing", Same),
        ("陳靜", "Jing Chen", Same),
        ("欧阳娜", "Ouyang Na", Same),
        ("广州", "Guangzhou", Same),
        ("深圳", "Shenzhen", Same),
        ("成都", "Chengdu", Same),
        ("南京", "Nanjing", Same),
        ("台北", "Taibei", Same),
        ("香港", "Xianggang", Same),
        ("东京", "東京", Same),
        ("東京", "Tokyo", Same),
        ("山田花子", "Hanako Yamada", Same),
        ("伊藤健太", "Kenta Ito", Same),
        ("さとう", "Sato", Same),
        ("ゆうこ", "Yuko", Same),
        ("マリア", "Maria", Same),
        ("최지우", "Choi Ji-woo", Same),
        ("정수빈", "Jung Subin", Same),
        ("서울", "Seoul", Same),
        ("부산", "Busan", Same),
        ("윤서연", "Yoon Seo-yeon", Same),
        ("عمر خالد", "Omar Khalid", Same),
        ("فاطمة", "Fatima", Same),
        ("رامي شاهين", "Rami Shahin", Likely),
        ("שרה לוי", "Sarah Levy", Same),
        ("נדב", "Nadav", Likely),
        ("अनिल गुप्ता", "Anil Gupta", Same),
        ("दिल्ली", "Dilli", Same),
        ("मीरा", "Meera", Same),
        ("राहुल सिंह", "Rahul Singh", Same),
        ("प्रियंका", "Priyanka", Same),
        ("สมศักดิ์", "Somsak", Same),
        ("มาลี", "Mali", Same),
        ("กรุงเทพ", "Krungthep", Same),
        ("วิชัย", "Wichai", Same),
        ("Petrov Ivan", "Иван Петров", Same),
    ]);
}

#[test]
fn spellings_titles_and_order_make_no_difference() {
    use Sameness::*;
    check(&[
        ("Grace Hopper", "grace hopper", Same),
        ("Grace Hopper", "Hopper, Grace", Same),
        ("Dr. Grace Hopper", "Grace Hopper", Same),
        ("Mr. Weber", "Weber", Same),
        ("Grace Hopper", "Grace Hopper's", Same),
        ("O’Brien", "O'Brien", Same),
        ("Jean-Luc", "Jean-Luc", Same),
        ("G. Hopper", "Grace Hopper", Likely),
        ("Grace B. Hopper", "Grace Hopper", Likely),
        ("Bob Weber", "Robert Weber", Likely),
        ("Bill", "William", Likely),
        ("Liz Marsh", "Elizabeth Marsh", Likely),
        ("Yevgeny Orlov", "Evgeny Orlov", Likely),
        ("Sara", "Sarah", Likely),
    ]);
}

#[test]
fn a_letter_tells_people_apart() {
    use Sameness::*;
    check(&[
        ("John Smith", "John Smithson", Different),
        ("Ann", "Anna", Different),
        ("Jon", "John", Different),
        ("Grace", "Grace Hopper", Different),
        ("Grace Hopper", "Grace Hooper", Different),
        ("G. H.", "Grace Hopper", Different),
        ("H. Hopper", "Grace Hopper", Different),
        ("Bob Weber", "Bill Weber", Different),
        ("Иван", "Иванов", Different),
        ("Иван Петров", "Ivan Pavlov", Different),
        ("张伟", "张伟明", Different),
        ("张伟", "Zhang Weiming", Different),
        ("伟", "Wei", Likely),
        ("김민지", "Kim Minjun", Different),
        ("محمد علي", "Mahmoud Ali", Different),
        ("", "Grace", Different),
        ("...", "Grace", Different),
    ]);
}

#[test]
fn texts_mention_names_by_whole_words() {
    use Sameness::*;
    let cases: &[(&str, &str, Option<Sameness>)] = &[
        ("I met Grace Hopper at sea", "Grace Hopper", Some(Same)),
        ("Grace Hopper's ship", "Grace Hopper", Some(Same)),
        ("I met Hopper, Grace told me", "Hopper", Some(Same)),
        ("John Smithson called", "John Smith", None),
        ("Anna called", "Ann", None),
        ("Ann-Marie called", "Ann", None),
        ("We had a frank discussion", "Frank", None),
        ("We had a discussion with Frank", "Frank", Some(Same)),
        ("Frank discussion about money", "Frank", Some(Likely)),
        ("They will come", "Will", None),
        ("will power is all", "Will Power", Some(Likely)),
        ("The baker was late", "Baker", None),
        ("I met tilda yesterday", "tilda", Some(Same)),
        ("Tilda came", "tilda", Some(Same)),
        ("G. Hopper wrote it", "Grace Hopper", Some(Likely)),
        ("Grace came", "Grace Hopper", None),
        ("Bob Weber phoned", "Robert Weber", Some(Likely)),
        ("Grace Brewster Hopper was there", "Grace Hopper", Some(Likely)),
        ("Встретил Ивана Петрова вчера", "Иван Петров", Some(Likely)),
        ("Вчера Иван Петров звонил", "Ivan Petrov", Some(Same)),
        ("Ivan Petrov called", "Иван Петров", Some(Same)),
        ("Ivan Petrovsky called", "Иван Петров", None),
        ("昨天我和张伟去了北京", "Zhang Wei", Some(Same)),
        ("昨天我和张伟去了北京", "张伟", Some(Same)),
        ("昨天我和张伟去了北京", "Beijing", Some(Same)),
        ("昨天我和李娜去了上海", "Zhang Wei", None),
        ("Lunch with Wei Zhang", "张伟", Some(Same)),
        ("田中太郎さんに会った", "Tanaka Taro", Some(Same)),
        ("Met Tanaka Taro", "田中太郎", Some(Same)),
        ("김민지는 학생이다", "Kim Minji", Some(Same)),
        ("김민지는 학생이다", "김민지", Some(Same)),
        ("김민지수는 학생이다", "김민지", None),
        ("Lunch with Minji Kim", "김민지", Some(Same)),
        ("قابلت محمد علي أمس", "Mohammed Ali", Some(Same)),
        ("I met Mohammed Ali", "محمد علي", Some(Same)),
        ("פגשתי את דוד כהן אתמול", "David Cohen", Some(Same)),
        ("मैं राज शर्मा से मिला", "Raj Sharma", Some(Same)),
        ("Νίκος came", "Nikos", Some(Same)),
        ("Herr Großmann kam", "Grossmann", Some(Same)),
        ("I asked Dr. Hopper about it", "Grace Hopper", Some(Likely)),
        ("I asked Hopper about it", "Grace Hopper", None),
        ("I met Hopper, Grace said", "Grace Hopper", Some(Likely)),
        ("Jean Luc came", "Jean-Luc", Some(Likely)),
        ("G. Hopper wrote it", "G. Hopper", Some(Same)),
        ("i met tilda yesterday", "Tilda", Some(Likely)),
        ("Then ivan left", "Ivan", Some(Likely)),
        ("IVAN LEFT", "Ivan", Some(Same)),
        ("He went to Smithfield", "Smith", None),
        ("john@heron.example", "John", None),
        ("张伟明来了", "张伟", Some(Likely)),
        ("李张伟来了", "张伟", Some(Likely)),
        ("ここは東京タワーです", "Tokyo", Some(Same)),
        ("Привет, Иванушка", "Иван", None),
        ("สมชายไปตลาด", "Somchai", Some(Likely)),
        ("Звонил И. Петров", "Ivan Petrov", Some(Likely)),
        ("Nothing here", "Grace", None),
        ("", "Grace", None),
        ("Grace", "", None),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(text, name, expected)| mentions_name(text, name) != *expected)
        .map(|(text, name, expected)| {
            format!("{name} in {text:?}: expected {expected:?}, found {:?}", mentions_name(text, name))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

proptest::proptest! {
    #[test]
    fn any_name_is_itself_and_breaks_nothing(name in "\\PC{0,30}", text in "\\PC{0,60}") {
        let itself = same_name(&name, &name);
        let initial_only = PersonName::new(&name).words.iter().all(|word| word.is_initial);
        proptest::prop_assert!(itself != Sameness::Different || initial_only);
        mentions_name(&text, &name);
        proptest::prop_assert_eq!(same_name(&name, &text), same_name(&text, &name));
    }
}
