import { toMutations } from './mutation.ts';

/** Mutations of announcements: who hears of changes, and what the stream waits for. */
export const liveMutations = toMutations({
  'functions/authentication/authorize-subscription.ts': {
    'subscription-with-any-audience': [
      '[aud ?? client].flat().some((one) => accepted.includes(String(one)))',
      'accepted.length > 0 && [aud ?? client].length > 0',
    ],
    'subscription-with-an-id-token': ["use !== 'id' && ", "use !== 'refresh' && "],
    'subscription-below-a-channel': [
      "allowed.includes(info.channel?.path ?? '')",
      'allowed.some((one) => info.channel?.path?.startsWith(one) === true)',
    ],
    'other-operations-than-subscribe': ["info?.operation === 'SUBSCRIBE' &&", 'info !== undefined &&'],
    'undecided-subscription-allowed': [
      "logError('A subscription was not decided.', line, error);\n    return refused;",
      "logError('A subscription was not decided.', line, error);\n    return null;",
    ],
  },
  'functions/http/live-channels.ts': {
    'channels-of-every-collection': [
      'hasScope(caller, `${plural}:read`)',
      'caller !== null && plural.length > 0',
    ],
    'projects-followed-by-all': ['hasScope(caller, allProjectsScope)', "hasScope(caller, '-')"],
    'projects-followed-by-nobody': ['guards.length > 0', 'guards.length < 0'],
    'one-channel-for-all-tenants': ["hash('sha256', tenant)", "hash('sha256', tenant.slice(0, 0))"],
  },
  'functions/jobs/publish-pokes.ts': {
    'merged-records-announced': ["eventName === 'INSERT' &&", "eventName !== 'REMOVE' &&"],
    'manifests-announced': [
      "dynamodb?.Keys?.['sk']?.S?.startsWith(recordPrefix) === true",
      "dynamodb?.Keys?.['sk']?.S !== undefined",
    ],
    'first-position-announced': [
      'Math.max(position, pokes.get(channel) ?? 0)',
      'Math.min(position, pokes.get(channel) ?? position)',
    ],
    'refused-events-not-counted': [
      'response.statusCode !== 200 || failed.length > 0',
      'response.statusCode !== 200 && failed.length >= 0',
    ],
    'stream-waits-for-pokes': [
      'startTimer(extraMs, () => stop.abort())',
      'startTimer(60 * extraMs, () => stop.abort())',
    ],
    'pokes-one-by-one': ['forEach(pokes, concurrency,', 'forEach(pokes, concurrency - 9,'],
  },
  'client/live.ts': {
    'changes-of-projects-without-a-request': [
      'includes(collection)) follower.onSight();',
      'includes(`${collection} `)) follower.onSight();',
    ],
  },
  'functions/http/render-list.ts': {
    'feed-complete-up-to-holes': [
      'positionOfCursor(cursor)',
      'cursor.progress.position + cursor.table * 0 + 1',
    ],
  },
  'lib/local/live/events-api.ts': {
    'pages-of-other-sites-follow': [
      'isForeign(request, allowed) ? 403 :',
      'isForeign(request, {}) && isForeign(request, allowed) === null ? 403 :',
    ],
  },
});
