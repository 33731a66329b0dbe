"""The counts, on answers whose figures are known: `python3 bench/recall/score_test.py`."""

import unittest

from score import figures, hit, percentile, recall


class Counts(unittest.TestCase):
    def test_only_the_first_ten_hits_count_and_each_right_text_once(self):
        ids = [str(number) for number in range(12)]
        self.assertEqual(recall(["0", "9", "10", "x"], ids), 0.5)
        self.assertEqual(recall(["0"], ["0", "0"]), 1.0)
        self.assertEqual((hit(["5"], ids), hit(["4", "x"], ids)), (0.0, 1.0))

    def test_means_are_over_the_questions_of_the_set(self):
        answers = [
            {"question": "a", "hits": [["1", "one two"]], "seconds": 0.1},
            {"question": "b", "hits": [], "seconds": 0.3},
            {"question": "of another set", "hits": [["1", "one"]], "seconds": 9.0},
        ]
        counted = figures({"a": ["1"], "b": ["2"]}, answers, lambda text: len(text.split()))
        self.assertEqual((counted["questions"], counted["recall"], counted["hit"], counted["tokens"]), (2, 50, 50, 1))
        self.assertAlmostEqual(counted["p50_ms"], 200)

    def test_a_percentile_is_one_of_the_values(self):
        self.assertEqual((percentile([3, 1, 2], 0.95), percentile([1], 0.95)), (3, 1))


if __name__ == "__main__":
    unittest.main()
