import type { ApiObject } from '../live/rows.ts';

/** How a container is run, beside those that serve. */
export type ContainerSort = 'main' | 'init' | 'sidecar' | 'ephemeral';

/** A container of a pod, or of the template of one, and how it stands. */
export interface ContainerRow {
  readonly name: string;
  readonly sort: ContainerSort;
  readonly image: string;
  /** What a template says of its containers ends here. */
  readonly status?: {
    readonly isReady: boolean;
    readonly restarts: number;
    /** `Running`, `Waiting: CrashLoopBackOff`, `Terminated: OOMKilled (137)`. */
    readonly state: string;
    /** What more is told of the state; empty: nothing. */
    readonly message: string;
    /** How it ended before; empty: it did not. */
    readonly last: string;
  };
}

const ROWS_MAX = 100;

const SORTS: readonly (readonly [specs: string, statuses: string, sort: ContainerSort])[] = [
  ['containers', 'containerStatuses', 'main'],
  ['initContainers', 'initContainerStatuses', 'init'],
  ['ephemeralContainers', 'ephemeralContainerStatuses', 'ephemeral'],
];

/** The containers of a pod, or of the pods that an object makes by its template. Takes objects of any shape. */
export function containerRows(object: ApiObject): readonly ContainerRow[] {
  const spec = podSpecIn(object['spec']);
  const rows = SORTS.flatMap(([specs, statuses, sort]) => {
    const told = listIn(object['status'], statuses);
    return listIn(spec, specs).map((container) => rowOf(container, sort, told));
  });
  return rows.slice(0, ROWS_MAX);
}

/** The spec of a pod in that of a pod, of a template, of a template of templates. */
function podSpecIn(spec: unknown): unknown {
  const template = memberOf(memberOf(memberOf(spec, 'jobTemplate'), 'spec') ?? spec, 'template');
  return memberOf(template, 'spec') ?? spec;
}

function rowOf(container: Members, kind: ContainerSort, statuses: readonly Members[]): ContainerRow {
  const name = textIn(container, 'name');
  const sort = kind === 'init' && container['restartPolicy'] === 'Always' ? 'sidecar' : kind;
  const status = statuses.find((one) => one['name'] === name);
  const row = { name, sort, image: textIn(container, 'image') };
  if (status === undefined) return row;
  const [state, message] = stateText(status['state']);
  const [last] = stateText(status['lastState']);
  const restarts = typeof status['restartCount'] === 'number' ? status['restartCount'] : 0;
  return { ...row, status: { isReady: status['ready'] === true, restarts, state, message, last } };
}

const STATES = { running: 'Running', waiting: 'Waiting', terminated: 'Terminated' } as const;

function stateText(state: unknown): readonly [state: string, message: string] {
  for (const [key, name] of Object.entries(STATES)) {
    const told = memberOf(state, key);
    if (!isMembers(told)) continue;
    const code = typeof told['exitCode'] === 'number' ? ` (${told['exitCode']})` : '';
    const reason = textIn(told, 'reason');
    return [`${name}${reason === '' ? '' : `: ${reason}`}${code}`, textIn(told, 'message')];
  }
  return ['', ''];
}

type Members = { readonly [name: string]: unknown };

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function memberOf(owner: unknown, name: string): unknown {
  return isMembers(owner) && Object.hasOwn(owner, name) ? owner[name] : undefined;
}

function listIn(owner: unknown, field: string): readonly Members[] {
  const list = memberOf(owner, field);
  return Array.isArray(list) ? list.filter(isMembers) : [];
}

function textIn(owner: Members, field: string): string {
  const value = memberOf(owner, field);
  return typeof value === 'string' ? value : '';
}
