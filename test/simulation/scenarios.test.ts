/** The named scenarios. They are one file for jest, because each file loads the modules of two processes. */
import { keepLog } from './scenario.ts';
import './scenarios/feed.ts';
import './scenarios/holes.ts';
import './scenarios/jobs.ts';
import './scenarios/reads.ts';
import './scenarios/restore.ts';
import './scenarios/undo.ts';
import './scenarios/unavailable.ts';
import './scenarios/writes.ts';
// Last, because a world of a process is later than those before, and these take days and months.
import './scenarios/logs.ts';
import './scenarios/expiry.ts';

keepLog();
