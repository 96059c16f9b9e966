/** Milliseconds after which a test counts as hung. Tests wait for conditions: on a busy machine they take longer. */
jest.setTimeout(120_000);
