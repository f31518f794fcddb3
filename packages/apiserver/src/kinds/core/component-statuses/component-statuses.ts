import { CatalogueError, messageOf } from '@binnacle/base';
import type { HttpCaller } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Store } from '@binnacle/store';
import type { AnyCall, Reply } from '../../../catalogue/definition.ts';
import type { HealthCheck } from '../../../ports/health.ts';
import { readBounded } from '../../../outbound/json-endpoint.ts';
import { NAME, nameOf, printer, text } from '../../../render/columns.ts';
import { methodNotAllowed } from '../../../verbs/refusals.ts';
import { chosen } from '../../chosen.ts';

/** What can be asked how it is. */
export interface ComponentsWorld {
  readonly store: Pick<Store, 'status'>;
  /** The components of this process by their names here. Undefined: they have processes of their own. */
  readonly components: (() => readonly HealthCheck[]) | undefined;
  /** Undefined: other processes cannot be asked. */
  readonly http: HttpCaller | undefined;
}

/** Where upstream's components answer on the machine of the API server. */
const PORTS = { 'controller-manager': 10257, scheduler: 10259 } as const;
const STORE = 'etcd-0';
const ANSWER_MS_MAX = 20_000;
const SAID_BYTES_MAX = 10 * 1024;

interface Condition {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly message?: string;
  readonly error?: string;
}

interface ComponentStatus extends KubeObject {
  readonly conditions: readonly (Condition & { readonly type: string })[];
}

const STATUSES: { readonly [condition: string]: string } = {
  True: 'Healthy',
  False: 'Unhealthy',
  Unknown: 'Unhealthy',
};

const componentPrinter = printer<ComponentStatus>(
  [
    NAME,
    text('Status', 'Whether it is well.'),
    text('Message', 'What it says.'),
    text('Error', 'Why it could not be asked.'),
  ],
  (one) => {
    const [condition] = one.conditions;
    const { status: said = '', message = '', error = '' } = condition ?? {};
    return [nameOf(one), STATUSES[said] ?? 'Unknown', message, error];
  },
);

/** The deprecated `componentstatuses`: how the store, the controllers and the scheduler are, asked at the moment. */
export async function componentStatuses(world: ComponentsWorld, call: AnyCall): Promise<Reply> {
  const { info } = call;
  if (info.verb !== 'get' && info.verb !== 'list') throw methodNotAllowed();
  const known: readonly KubeObject[] = [...Object.keys(PORTS), STORE].map((name) => ({
    kind: 'ComponentStatus',
    apiVersion: 'v1',
    metadata: { name },
  }));
  const wanted = chosen(known, call);
  const items = await Promise.all(wanted.map((one) => withCondition(world, one)));
  const columns = componentPrinter;
  if (info.verb === 'get') {
    const [object] = items;
    if (object === undefined) throw status.notFound({ group: '', resource: 'componentstatus' }, info.name);
    return { kind: 'object', code: 200, object, columns };
  }
  const list = { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items: items.map(withoutKind) };
  return { kind: 'object', code: 200, object: list, items, columns };
}

function withoutKind({ metadata, conditions }: ComponentStatus): object {
  return { metadata, conditions };
}

async function withCondition(world: ComponentsWorld, one: KubeObject): Promise<ComponentStatus> {
  return { ...one, conditions: [{ type: 'Healthy', ...(await healthOf(world, nameOf(one))) }] };
}

async function healthOf({ store, components, http }: ComponentsWorld, name: string): Promise<Condition> {
  if (name === STORE) return checked({ name, check: async () => void (await store.status()) });
  const own = components?.().find((check) => check.name === name);
  if (own !== undefined) return checked(own);
  const port = PORTS[name as keyof typeof PORTS];
  if (http === undefined) return { status: 'Unknown', error: 'it has a process of its own, which cannot be asked' };
  return asked(http, `https://127.0.0.1:${port}/healthz`);
}

async function checked(one: HealthCheck): Promise<Condition> {
  try {
    await one.check();
    return { status: 'True', message: 'ok' };
  } catch (error) {
    return { status: 'False', error: messageOf(error) };
  }
}

/** As upstream asks: whatever its certificate is, and a refusal is what it says. */
async function asked(http: HttpCaller, url: string): Promise<Condition> {
  try {
    const reply = await http.request({ method: 'GET', url, trust: { insecure: true }, timeoutMs: ANSWER_MS_MAX });
    const message = await readBounded(reply.body, SAID_BYTES_MAX);
    if (reply.status >= 200 && reply.status < 400) return { status: 'True', message };
    return { status: 'False', message: `HTTP probe failed with statuscode: ${reply.status}` };
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    return { status: 'False', message: messageOf(error) };
  }
}
