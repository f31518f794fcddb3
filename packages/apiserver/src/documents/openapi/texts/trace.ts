/** What is said of the trace and of pauses: at most 25 words a field. */

const OBJECT = 'Which object it is about.';
const CAUSE = 'What led to it.';
const AT = 'When it began, in milliseconds since the epoch.';
const LASTED = 'How long it took, in milliseconds.';
const COMPONENT = 'Who did it: a component or a program.';
const USER = 'Who really called.';
const IMPERSONATED = 'As whom.';

/** Of the structs of trace.binnacle.dev. */
export const TRACE_TEXTS = {
  'trace.binnacle.dev.v1.Hop': {
    '': 'One step between a request and a running container, with its cause.',
    type: 'Of which kind it is, from request and commit to runtime and event.',
    component: COMPONENT,
    user: USER,
    impersonatedUser: IMPERSONATED,
    title: 'What it was, in a few words.',
    atMs: AT,
    durationMs: LASTED,
    object: OBJECT,
    revision: 'The revision of the store that it made or told of.',
    cause: CAUSE,
    error: 'Why it failed; absent where it did not.',
    detail: 'What else is known of a hop of its type.',
  },
  'trace.binnacle.dev.v1.ObjectName': {
    '': 'Which object.',
    group: 'The group of its API; empty is the core one.',
    resource: 'The resource, as paths name it.',
    namespace: 'Its namespace; absent for objects of the whole cluster.',
    name: 'Its name.',
    uid: 'Its uid, where that is known.',
  },
  'trace.binnacle.dev.v1.HopReport': {
    '': 'What a component of another process did.',
    hops: 'The hops that it tells.',
    dropped: 'How many of them were not taken.',
  },
  'trace.binnacle.dev.v1.Cause': {
    '': 'What led to a hop.',
    type: 'Another hop, a client, a timer; or that it is forgotten or hidden.',
    hop: 'The name of that hop.',
    what: 'What the timer is for.',
    revision: 'The revision of the store that it came with.',
  },
  'trace.binnacle.dev.v1.Revision': {
    '': 'A version of an object that the store still has, or the end of one.',
    revision: 'The revision of the store.',
    type: 'What became of the object: ADDED, MODIFIED or DELETED.',
    about: OBJECT,
    component: COMPONENT,
    user: USER,
    impersonatedUser: IMPERSONATED,
    request: 'The request that wrote it.',
    atMs: AT,
    cause: CAUSE,
    object: 'The object as it then was.',
  },
  'trace.binnacle.dev.v1.Explanation': {
    '': 'The latest decision of a scheduler about a pod: what each node was refused for, and how the others scored.',
    podUid: 'The uid of that pod: another one may have its name by now.',
    scheduler: 'Which scheduler decided.',
    hop: 'The name of the decision in the trace.',
    atMs: AT,
    durationMs: LASTED,
    node: 'Where the pod is bound to; absent where no node was found.',
    message: 'Why there was no node.',
    nominatedNode: 'Where room is made for it.',
    isComplete: 'False where not all that was said of the nodes is there.',
    preemption:
      'Whose room was to be made its own, and what became of that. Other pods are named to those who may list them.',
    refused: 'The nodes that were filtered out, by reason.',
    scored: 'The points of each other node, by plugin.',
  },
  'trace.binnacle.dev.v1.Pause': {
    '': 'A component of the control plane, or the kubelet of a node, that can be held and let go step by step.',
    spec: 'How it is held; absent: it goes on.',
    status: 'Whether it is held, and what it is about to do.',
  },
  'trace.binnacle.dev.v1.PauseSpec': {
    '': 'How a component is held.',
    steps: 'How many steps it may take since the pause began; one more lets it take one more. 0 by default.',
    deadlineSeconds:
      'Seconds after which it goes on by itself, counted from the last time that this was written: 1 to 3600.',
  },
  'trace.binnacle.dev.v1.PauseStatus': {
    '': 'What becomes of a component that is held.',
    held: 'Whether it waits before each step.',
    passed: 'Steps that it took while it was held.',
    endsAtMs: 'When it goes on by itself, in milliseconds since the epoch.',
    waiting: 'The steps that it waits for.',
  },
  'trace.binnacle.dev.v1.WaitingStep': {
    '': 'A step that a component is about to take.',
    what: 'The step.',
    because: 'The change that led to it.',
    sinceMs: 'Since when it waits, in milliseconds since the epoch.',
  },
} as const;
