import '#functions/schema.ts';

/** Milliseconds after which a test counts as hung. Tests wait for conditions: on a busy machine they take longer, so no test has a limit of its own. */
jest.setTimeout(900_000);

// jest sets 100. Each assertion makes an error, which costs time for each frame.
Error.stackTraceLimit = 15;

// A test that asserts nothing, because it returns early or loops over nothing, fails.
beforeEach(() => expect.hasAssertions());
