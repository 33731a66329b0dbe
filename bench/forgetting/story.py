"""The memories that every peer is given, and the three requests to forget.

Each memory holds one canary: a coined word that stands nowhere else, so whoever finds the word has found the memory. The words
are drawn from a seed: another seed gives the same story with other words.
"""

import random
from dataclasses import dataclass, field

ONSETS = "b d f g k l m n p r s t v z br dr fl gr kl pr st tr".split()
VOWELS = "a e i o u".split()
SYLLABLES = 5
# A part of a canary counts as found from this length on: indexes shorten words, and pages cut them.
PART_LETTERS = 8

OWNER, LEAVER, OTHER = "anna", "carla", "bert"
PERSON = "Carla Ondrejka"
WORDS = "forget everything about my dentist"
SUBJECT = "my dentist"
# Tried by the reviewer where a search knows letters only.
SPELLINGS = {SUBJECT: ("dentist", "dental", "teeth"), PERSON: (PERSON,)}

# What becomes of a memory: it is asked to be forgotten, it was made of one that is, or it must stay.
BY_ID, BY_WORDS, BY_PERSON, STAYS = "by id", "by words", "by person", "stays"


@dataclass
class Memory:
    key: str
    user: str
    text: str
    fate: str
    canary: str = ""
    # A turn of this conversation; a fact has none.
    session: str | None = None
    # Keys of the memories that it was made of; empty for what somebody said.
    sources: list = field(default_factory=list)

    @property
    def derived(self):
        return bool(self.sources)

    @property
    def question(self):
        """Asks for the memory without its canary, so that an echo of the question is no find."""
        return self.text.replace(self.canary, "").replace("  ", " ")


def _fact(key, user, fate, text):
    return Memory(key, user, text, fate)


def _turn(key, user, fate, session, text):
    return Memory(key, user, text, fate, session=session)


def _derived(key, user, fate, sources, text):
    return Memory(key, user, text, fate, sources=sources)


def _memories():
    return [
        # By id: the application knows which memory is meant.
        _fact("id-1", OWNER, BY_ID, "I left the spare key of the flat with my neighbour {}."),
        _fact("id-2", OWNER, BY_ID, "My running coach is called {} and trains me on Tuesdays."),
        _fact("id-3", OWNER, BY_ID, "The plumber who fixed our boiler is from {}."),
        _turn("id-4", OWNER, BY_ID, "home", "My landlord {} wants to raise the rent in spring."),
        # By words: four that say the word, and one that only means it.
        _fact("words-1", OWNER, BY_WORDS, "My dentist is Dr. {} on Mill Lane."),
        _fact("words-2", OWNER, BY_WORDS, "The dentist said that the crown from {} must be replaced."),
        _fact("words-3", OWNER, BY_WORDS, "The next visit to the dentist is on the day of the {} fair."),
        _fact("words-4", OWNER, BY_WORDS, "The hygienist who cleans my teeth is called {}."),
        _turn("words-5", OWNER, BY_WORDS, "home", "I still owe the dentist the fee for the {} filling."),
        # By person: her own memories, and what others stored about her.
        _fact("person-1", LEAVER, BY_PERSON, "I grew up in the village of {}."),
        _fact("person-2", LEAVER, BY_PERSON, "My favourite tea comes from the {} valley."),
        _turn("person-3", LEAVER, BY_PERSON, "tea", "Please order the {} teapot for me."),
        _turn("person-4", LEAVER, BY_PERSON, "tea", "And send it to my sister in {}."),
        _fact("person-5", OWNER, BY_PERSON, "Carla Ondrejka lent me her {} tent for the summer."),
        _fact("person-6", OWNER, BY_PERSON, "Carla Ondrejka and I meet at the cafe {} on Fridays."),
        # Made of the above: summaries and conclusions that an assistant wrote, with details of their own.
        _derived("derived-1", OWNER, BY_ID, ["id-1"], "Note on the flat: the key deposit is filed under {}."),
        _derived(
            "derived-2", OWNER, BY_ID, ["id-4"], "Anna worries about housing costs; her budget plan is called {}."
        ),
        _derived("derived-3", OWNER, BY_WORDS, ["words-1"], "Anna's practice on Mill Lane is listed as {}."),
        _derived("derived-4", OWNER, BY_WORDS, ["words-5"], "Anna has an open bill with the number {}."),
        _derived("derived-5", LEAVER, BY_PERSON, ["person-3", "person-4"], "Carla buys presents from the shop {}."),
        _derived("derived-6", OWNER, BY_PERSON, ["person-5"], "Anna has borrowed camping gear of the brand {}."),
        # These stay: other people, other users, other subjects that look alike, and the rest of the conversations.
        _fact("stays-1", OWNER, STAYS, "My eye doctor is Dr. {} on Mill Lane."),
        _fact("stays-2", OWNER, STAYS, "The hairdresser said that the colour from {} suits me."),
        _fact("stays-3", OWNER, STAYS, "Carlo Ondrasek repairs bicycles in {}."),
        _fact("stays-4", OWNER, STAYS, "My swimming coach is called {} and trains me on Thursdays."),
        _fact("stays-5", OWNER, STAYS, "The electrician who fixed our oven is from {}."),
        _turn("stays-6", OWNER, STAYS, "home", "The new bookshelf from {} arrives on Monday."),
        _turn("stays-7", OWNER, STAYS, "home", "Let us paint the hall in the colour {}."),
        _fact("stays-8", OTHER, STAYS, "My dentist is Dr. {} in Porto."),
        _fact("stays-9", OTHER, STAYS, "Carla Mendes sings in the {} choir."),
        _turn("stays-10", OTHER, STAYS, "garden", "The tomatoes from {} are ripe."),
        _derived(
            "stays-11", OWNER, STAYS, ["stays-1", "stays-2"], "Anna likes to walk from Mill Lane to the {} market."
        ),
    ]


def _word(chance):
    return "".join(chance.choice(ONSETS) + chance.choice(VOWELS) for _ in range(SYLLABLES)) + chance.choice("nrsl")


def story(seed):
    """The memories in the order in which they are stored, each with its canary."""
    chance, taken, memories = random.Random(seed), set(), _memories()
    for memory in memories:
        word = _word(chance)
        # No two share a part, so that a part names one canary.
        while {word[at : at + PART_LETTERS] for at in range(len(word) - PART_LETTERS + 1)} & taken:
            word = _word(chance)
        taken.update(word[at : at + PART_LETTERS] for at in range(len(word) - PART_LETTERS + 1))
        memory.canary = word.capitalize()
        memory.text = memory.text.format(memory.canary)
    return memories
