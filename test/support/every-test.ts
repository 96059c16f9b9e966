/** Milliseconds after which a test counts as hung. Tests wait for conditions: on a busy machine they take longer. */
jest.setTimeout(120_000);

// A test that asserts nothing, because it returns early or loops over nothing, fails.
beforeEach(() => expect.hasAssertions());
