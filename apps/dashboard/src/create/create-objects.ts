import { pathOf } from '../api/discovery.ts';
import type { Resource } from '../api/discovery.ts';
import type { ApiReply, ApiRequest } from '../api/request.ts';
import type { ApiObject } from '../live/rows.ts';

/** Of what somebody wrote, what says where it goes. */
export interface Written {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: { readonly namespace?: unknown; readonly name?: unknown; readonly generateName?: unknown } | null;
}

/** What became of one object. */
export interface Outcome {
  /** As kubectl names it: `deployments.apps/web`; of what has no kind, the kind that was written. */
  readonly title: string;
  /** What was made, or would be. */
  readonly made?: { readonly kind: Resource; readonly object: ApiObject };
  readonly warnings: readonly string[];
  /** Why it was not. */
  readonly error?: string;
}

/** How objects are made. */
export interface CreateWish {
  /** Tried on the server, not made. */
  readonly isTrial: boolean;
  readonly kinds: readonly Resource[];
  /** What is meant where nobody says a kind. */
  readonly fallback: Resource;
  /** For what says none. */
  readonly namespace: string;
}

/** What making needs of the world. */
export interface CreateWorld {
  /** Rejects with what to show. */
  readonly send: (call: ApiRequest) => Promise<ApiReply<ApiObject>>;
  /** What the server serves by now. */
  readonly discover: () => Promise<readonly Resource[]>;
  readonly wait: (delayMs: number) => Promise<void>;
  /** What became of those so far. */
  readonly tell: (outcomes: readonly Outcome[]) => void;
}

/** A definition is served a moment after it was made. */
const SERVED_TRIES = 10;
const SERVED_WAIT_MS = 300;

/** Makes one after the other, in their order, whatever becomes of those before: as `kubectl create -f` does. Never rejects. */
export async function createObjects(
  written: readonly Written[],
  { isTrial, namespace, kinds, fallback }: CreateWish,
  world: CreateWorld,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const finder = new KindFinder(kinds, world);
  for (const body of written) {
    const outcome = await createOne(body, { isTrial, namespace, fallback, finder }, world);
    if (!isTrial && outcome.made?.kind.resource === 'customresourcedefinitions') finder.expectMore();
    outcomes.push(outcome);
    world.tell([...outcomes]);
  }
  return outcomes;
}

interface OneWish extends Pick<CreateWish, 'isTrial' | 'namespace' | 'fallback'> {
  readonly finder: KindFinder;
}

async function createOne(
  body: Written,
  { isTrial, namespace, fallback, finder }: OneWish,
  world: CreateWorld,
): Promise<Outcome> {
  let title = titleOf(wordOf(body.kind) || fallback.kind, body);
  try {
    const isNameless = body.kind === undefined && body.apiVersion === undefined;
    const kind = isNameless ? fallback : await finder.find(body);
    if (kind === undefined) return { title, warnings: [], error: noMatch(body) };
    title = titleOf(kind.group === '' ? kind.resource : `${kind.resource}.${kind.group}`, body);
    const own = body.metadata?.namespace;
    const path = pathOf(kind, { namespace: typeof own === 'string' && own !== '' ? own : namespace });
    const query = `fieldValidation=Warn&fieldManager=binnacle-dashboard${isTrial ? '&dryRun=All' : ''}`;
    const { value, warnings } = await world.send({ method: 'POST', path: `${path}?${query}`, body });
    return { title, made: { kind, object: value }, warnings };
  } catch (reason) {
    return { title, warnings: [], error: reason instanceof Error ? reason.message : String(reason) };
  }
}

function titleOf(kind: string, { metadata }: Written): string {
  const { name, generateName } = metadata ?? {};
  return `${kind}/${wordOf(name) || `${wordOf(generateName)}…`}`;
}

/** What is no text is for the server to refuse. */
function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function noMatch({ apiVersion, kind }: Written): string {
  return `no matches for kind ${JSON.stringify(kind ?? '')} in version ${JSON.stringify(apiVersion ?? '')}`;
}

/** Finds kinds as they are written; asks the server again for those that came since the page asked. */
class KindFinder {
  readonly #world: Pick<CreateWorld, 'discover' | 'wait'>;
  #kinds: readonly Resource[];
  #hasAsked = false;
  #tries = 1;

  constructor(kinds: readonly Resource[], world: Pick<CreateWorld, 'discover' | 'wait'>) {
    this.#kinds = kinds;
    this.#world = world;
  }

  /** A definition was made: what is not known now may be in a moment. */
  expectMore(): void {
    this.#hasAsked = false;
    this.#tries = SERVED_TRIES;
  }

  async find(body: Written): Promise<Resource | undefined> {
    let found = kindOf(this.#kinds, body);
    for (let tries = 0; found === undefined && !this.#hasAsked && tries < this.#tries; tries++) {
      if (tries > 0) await this.#world.wait(SERVED_WAIT_MS);
      this.#kinds = await this.#world.discover();
      found = kindOf(this.#kinds, body);
    }
    // Asked for each of very many, a kind that nobody serves would be asked for that often.
    if (found === undefined) this.#hasAsked = true;
    return found;
  }
}

/** In the version that is written, which need not be the one that the server prefers. */
function kindOf(kinds: readonly Resource[], { apiVersion, kind }: Written): Resource | undefined {
  const [version = '', group = ''] = wordOf(apiVersion).split('/').toReversed();
  const found = kinds.find((one) => one.kind === kind && one.group === group);
  return found === undefined || version === '' ? undefined : { ...found, version };
}
