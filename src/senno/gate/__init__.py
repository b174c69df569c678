"""Before a merge: a diff, judged by detectors, closed questions and a policy of lanes. Code decides."""
