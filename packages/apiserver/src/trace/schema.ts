import type { SchemaTable } from '@binnacle/machinery';

const text = { type: 'string', omitEmpty: true } as const;
const number = { type: 'double' };
const optionalNumber = { type: 'int32', omitEmpty: true, pointer: true } as const;
const meta = { type: '#meta.v1.ObjectMeta', omitEmpty: true } as const;
const typed = { kind: text, apiVersion: text, metadata: meta };
const object = { type: '#trace.binnacle.dev.v1.ObjectName', omitEmpty: true, pointer: true } as const;
const cause = { type: '#trace.binnacle.dev.v1.Cause' };
const anything = { type: 'RawExtension', omitEmpty: true } as const;

function listOf(item: string): SchemaTable[string] {
  const items = { type: `[]#trace.binnacle.dev.v1.${item}`, required: true } as const;
  return {
    fields: { kind: text, apiVersion: text, metadata: { type: '#meta.v1.ListMeta', omitEmpty: true } as const, items },
  };
}

const HOP = {
  ...{
    type: { type: 'string' },
    component: text,
    user: text,
    impersonatedUser: text,
    title: text,
    atMs: number,
    durationMs: number,
  },
  ...{ object, revision: text, cause, error: text, detail: anything },
};

/** What OpenAPI shows of the group; the shapes themselves are those of the trace room. */
export const TRACE_STRUCTS: SchemaTable = {
  'trace.binnacle.dev.v1.ObjectName': {
    fields: { group: text, resource: text, namespace: text, name: text, uid: text },
  },
  'trace.binnacle.dev.v1.Cause': { fields: { type: { type: 'string' }, hop: text, what: text, revision: text } },
  'trace.binnacle.dev.v1.Hop': { fields: { ...typed, ...HOP } },
  'trace.binnacle.dev.v1.HopList': listOf('Hop'),
  'trace.binnacle.dev.v1.Revision': {
    fields: {
      ...typed,
      ...{
        revision: text,
        type: text,
        about: object,
        component: text,
        user: text,
        impersonatedUser: text,
        request: text,
      },
      ...{ atMs: number, cause, object: anything },
    },
  },
  'trace.binnacle.dev.v1.RevisionList': listOf('Revision'),
  'trace.binnacle.dev.v1.Explanation': {
    fields: {
      ...typed,
      ...{ podUid: text, scheduler: text, hop: text, atMs: number, durationMs: number, node: text, message: text },
      ...{ nominatedNode: text, isComplete: { type: 'bool' }, refused: anything, scored: anything },
      preemption: anything,
    },
  },
  'trace.binnacle.dev.v1.ExplanationList': listOf('Explanation'),
  'trace.binnacle.dev.v1.Pause': {
    fields: {
      ...typed,
      spec: { type: '#trace.binnacle.dev.v1.PauseSpec', omitEmpty: true, pointer: true } as const,
      status: { type: '#trace.binnacle.dev.v1.PauseStatus', omitEmpty: true, pointer: true } as const,
    },
  },
  'trace.binnacle.dev.v1.PauseSpec': {
    fields: { steps: optionalNumber, deadlineSeconds: optionalNumber },
  },
  'trace.binnacle.dev.v1.PauseStatus': {
    fields: {
      ...{ held: { type: 'bool' }, passed: { type: 'int32' }, endsAtMs: { ...number, omitEmpty: true } as const },
      waiting: { type: '[]#trace.binnacle.dev.v1.WaitingStep', listType: 'atomic' } as const,
    },
  },
  'trace.binnacle.dev.v1.WaitingStep': {
    fields: { what: { type: 'string' }, because: text, sinceMs: number },
  },
  'trace.binnacle.dev.v1.PauseList': listOf('Pause'),
  'trace.binnacle.dev.v1.HopReport': {
    fields: { ...typed, hops: { type: '[]#trace.binnacle.dev.v1.Hop' }, dropped: { type: 'int64' } },
  },
};
