/** What a kubelet's `/metrics/resource` says, and what two such answers say together. Pure. */

/** One thing's counter of CPU and its memory; times in milliseconds since the epoch. */
interface Reading {
  readonly at: number;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  /** Of a container. */
  readonly startedAt?: number;
}

/** What one answer of a kubelet says. */
export interface NodeReadings {
  readonly node: Reading | undefined;
  /** By `namespace/pod`, then by container. */
  readonly pods: ReadonlyMap<string, ReadonlyMap<string, Reading>>;
}

/** What something uses, over a time that ends at `at`. */
export interface Usage {
  readonly at: number;
  readonly windowMs: number;
  readonly cpuNanoCores: number;
  readonly memoryBytes: number;
}

type Draft = { -readonly [field in keyof Reading]?: number };

const FIELDS: { readonly [family: string]: readonly ['node' | 'container', keyof Reading] } = {
  node_cpu_usage_seconds_total: ['node', 'cpuSeconds'],
  node_memory_working_set_bytes: ['node', 'memoryBytes'],
  container_cpu_usage_seconds_total: ['container', 'cpuSeconds'],
  container_memory_working_set_bytes: ['container', 'memoryBytes'],
  container_start_time_seconds: ['container', 'startedAt'],
};

const LINE = /^([a-z_]+)(?:\{([^}]*)\})? (\S+)(?: (\d+))?$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Reads the text format; lines about anything else are passed over. `now`: for lines without a time. */
export function parseReadings(text: string, now: number): NodeReadings {
  const node: Draft = {};
  const pods = new Map<string, Map<string, Draft>>();
  for (const line of text.split('\n')) {
    const [, family = '', labels = '', value, time] = LINE.exec(line) ?? [];
    const known = Object.hasOwn(FIELDS, family) ? FIELDS[family] : undefined;
    const number = Number(value);
    if (known === undefined || !Number.isFinite(number)) continue;
    const [owner, field] = known;
    const draft = owner === 'node' ? node : containerDraft(pods, labels);
    draft[field] = field === 'startedAt' ? number * 1000 : number;
    if (field === 'cpuSeconds') draft.at = time === undefined ? now : Number(time);
  }
  return { node: whole(node), pods: new Map([...pods].map(([pod, all]) => [pod, wholeOnes(all)])) };
}

function containerDraft(pods: Map<string, Map<string, Draft>>, labels: string): Draft {
  const found: { [name: string]: string } = Object.create(null) as { [name: string]: string };
  for (const [, name = '', text = ''] of labels.matchAll(LABEL)) found[name] = text;
  const pod = `${found['namespace'] ?? ''}/${found['pod'] ?? ''}`;
  const container = found['container'] ?? '';
  const all = pods.get(pod) ?? new Map<string, Draft>();
  pods.set(pod, all);
  const draft = all.get(container) ?? {};
  all.set(container, draft);
  return draft;
}

function whole({ at, cpuSeconds, memoryBytes, startedAt }: Draft): Reading | undefined {
  if (at === undefined || cpuSeconds === undefined || memoryBytes === undefined) return undefined;
  return { at, cpuSeconds, memoryBytes, ...(startedAt === undefined ? {} : { startedAt }) };
}

function wholeOnes(drafts: ReadonlyMap<string, Draft>): Map<string, Reading> {
  const all = new Map<string, Reading>();
  for (const [name, draft] of drafts) {
    const reading = whole(draft);
    if (reading !== undefined) all.set(name, reading);
  }
  return all;
}

/** What was used between two readings; one that began in between, since its start. Undefined: nothing can be said. */
export function usageBetween(before: Reading | undefined, after: Reading | undefined): Usage | undefined {
  if (after === undefined) return undefined;
  const isFresh = before === undefined || (after.startedAt !== undefined && after.startedAt > before.at);
  const since = isFresh ? after.startedAt : before.at;
  const used = after.cpuSeconds - (isFresh ? 0 : before.cpuSeconds);
  if (since === undefined || after.at <= since || used < 0) return undefined;
  const windowMs = after.at - since;
  return {
    at: after.at,
    windowMs,
    cpuNanoCores: Math.round((used * 1e12) / windowMs),
    memoryBytes: after.memoryBytes,
  };
}
