import type { PastRevision, PodExplanation, TraceHop } from '@binnacle/trace';
import type { TablePrinter } from '../ports/columns.ts';

const NAME = { name: 'Name', type: 'string', format: 'name', description: 'Number in the ring.', priority: 0 } as const;

/** What `kubectl get hops` says of each. */
export const HOP_COLUMNS: TablePrinter = {
  columns: [
    NAME,
    { name: 'Type', type: 'string', description: 'What sort of step it is.', priority: 0 },
    { name: 'Component', type: 'string', description: 'Who took it.', priority: 0 },
    { name: 'Milliseconds', type: 'number', description: 'How long it took.', priority: 0 },
    { name: 'What', type: 'string', description: 'What was done.', priority: 0 },
    { name: 'Object', type: 'string', description: 'What it is about.', priority: 1 },
    { name: 'Cause', type: 'string', description: 'The hop that led to it, or how the chain ends.', priority: 1 },
  ],
  row: (one) => {
    const { metadata, type, component, durationMs, title, object, cause } = one as TraceHop;
    const about = object === undefined ? '' : `${object.resource}/${object.name}`;
    return [metadata.name, type, component, durationMs, title, about, cause.type === 'hop' ? cause.hop : cause.type];
  },
};

/** What `kubectl get revisions` says of each. */
export const REVISION_COLUMNS: TablePrinter = {
  columns: [
    { ...NAME, description: 'Revision of the store.' },
    { name: 'Type', type: 'string', description: 'Whether it made, changed or took away.', priority: 0 },
    { name: 'Object', type: 'string', description: 'What was written.', priority: 0 },
    { name: 'User', type: 'string', description: 'Who wrote it, as long as the ring knows.', priority: 0 },
    { name: 'Request', type: 'string', description: 'By which request.', priority: 0 },
  ],
  row: (one) => {
    const { revision, type, about, user = '', request = '' } = one as PastRevision;
    return [revision, type, `${about.resource}/${about.name}`, user, request];
  },
};

/** What `kubectl get explanations` says of each. */
export const EXPLANATION_COLUMNS: TablePrinter = {
  columns: [
    { ...NAME, description: 'The pod.' },
    { name: 'Node', type: 'string', description: 'Where it was put; empty: nowhere.', priority: 0 },
    { name: 'Scheduler', type: 'string', description: 'Who decided.', priority: 0 },
    { name: 'Message', type: 'string', description: 'Why it was put nowhere.', priority: 0 },
  ],
  row: (one) => {
    const { metadata, node = '', scheduler, message = '' } = one as PodExplanation;
    return [metadata.name, node, scheduler, message];
  },
};
