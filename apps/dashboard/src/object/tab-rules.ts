import { TRACE_GROUP } from '@binnacle/trace';
import type { Resource } from '../api/discovery.ts';
import type { Rights } from '../rights/use-rights.ts';
import type { Texts } from '../texts/english.ts';

/** What of the cluster decides which tabs there are. */
export interface Seen {
  readonly rights: Rights;
  /** Only Binnacle's own API server keeps a trace. */
  readonly hasTrace: boolean;
  /** Nobody runs anything in the past. */
  readonly isPast: boolean;
}

/** When an object's page has a tab. */
export interface TabRule {
  readonly name: TabName;
  readonly label: keyof Texts;
  /** Whether the kind has it, and the viewer may see it. */
  fits(kind: Pick<Resource, 'group' | 'resource' | 'subresources' | 'verbs'>, seen: Seen): boolean;
  /** Shows something of what is gone, too. */
  readonly outlives?: boolean;
}

/** As addresses name them. */
export type TabName = 'summary' | 'why' | 'yaml' | 'history' | 'events' | 'related' | 'logs' | 'terminal';

const always = (): boolean => true;

/** Of the trace group something of its own is read for each. */
const traced =
  (resource: 'hops' | 'revisions'): TabRule['fits'] =>
  (_kind, { hasTrace, rights }) =>
    hasTrace && rights({ verb: 'list', group: TRACE_GROUP, resource });

/** Of what nobody makes or nobody watches no store keeps a past: its server makes it up when it is asked (figures of usage, pauses). */
const hasPast = ({ verbs }: Pick<Resource, 'verbs'>): boolean => verbs.includes('create') && verbs.includes('watch');

const live =
  (subresource: string, verb: string): TabRule['fits'] =>
  ({ group, resource, subresources }, { rights, isPast }) =>
    !isPast && subresources.includes(subresource) && rights({ verb, group, resource, subresource });

/** In their order, by what discovery says of a kind and by what the viewer may do. */
export const TAB_RULES: readonly TabRule[] = [
  { name: 'summary', label: 'summary', fits: always },
  { name: 'why', label: 'why', fits: traced('hops'), outlives: true },
  { name: 'yaml', label: 'yaml', fits: always },
  {
    name: 'history',
    label: 'history',
    fits: (kind, seen) => hasPast(kind) && traced('revisions')(kind, seen),
    outlives: true,
  },
  { name: 'events', label: 'events', fits: always },
  { name: 'related', label: 'related', fits: always },
  { name: 'logs', label: 'logs', fits: live('log', 'get') },
  { name: 'terminal', label: 'terminal', fits: live('exec', 'create') },
];
