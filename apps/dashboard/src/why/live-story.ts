import type { RingState, TraceHop, TraceHopList } from '@binnacle/trace';
import { hasCode } from '../api/has-code.ts';
import { Lines } from '../api/lines.ts';
import type { StreamListener } from '../api/streams.ts';
import { HOPS_MAX, mergeHops } from './story.ts';

/** The story of an object so far. */
export interface LiveStoryView {
  readonly hops: readonly TraceHop[];
  readonly ring?: RingState;
  readonly error?: string;
  /** There is more than is kept here or told by the server. */
  readonly isCut?: boolean;
  /** Nothing more will come: the viewer may not follow it. */
  readonly isRead?: boolean;
}

/** How a story reaches the API. */
export interface StoryWorld {
  /** GET; rejects with what to show, and with its `code` where the server refused it. */
  read(path: string): Promise<TraceHopList>;
  open(path: string, listener: StreamListener): () => void;
  after(delayMs: number, run: () => void): () => void;
}

type StreamLine =
  | { readonly type: 'ADDED'; readonly object: TraceHop }
  | { readonly type: 'BOOKMARK'; readonly object: { readonly ring?: RingState } };

const LIMIT = 5000;
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 20_000;

/**
 * Reads hops and follows them until it is stopped; read and followed anew when the stream ends. But for what the viewer may
 * not do: asked again and again it is refused again and again.
 */
export class LiveStory {
  readonly #path: string;
  readonly #world: StoryWorld;
  readonly #tell: (view: LiveStoryView) => void;
  #view: LiveStoryView = { hops: [] };
  #retryMs = RETRY_MS_MIN;
  #isStopped = false;
  #stop: (() => void) | undefined;

  /** `path`: of hops, with a query that chooses some. `tell` is called with each new view. */
  constructor(path: string, world: StoryWorld, tell: (view: LiveStoryView) => void) {
    this.#path = path;
    this.#world = world;
    this.#tell = tell;
  }

  start(): void {
    this.#world.read(`${this.#path}&limit=${LIMIT}`).then(
      ({ items, ring, metadata, isCut }) => {
        if (this.#isStopped) return;
        this.#retryMs = RETRY_MS_MIN;
        const isMore = isCut === true || metadata.continue !== undefined || this.#view.isCut === true;
        this.#show({ ...this.#merged(items), ring, ...(isMore ? { isCut: true } : {}) });
        this.#follow(metadata.resourceVersion);
      },
      (error: unknown) => this.#fail(error instanceof Error ? error.message : String(error), hasCode(error, 403)),
    );
  }

  stop(): void {
    this.#isStopped = true;
    this.#stop?.();
  }

  #follow(resourceVersion: string): void {
    const lines = new Lines();
    let refusal: number | undefined;
    this.#stop = this.#world.open(`${this.#path}&watch=true&resourceVersion=${resourceVersion}`, {
      status: (code) => {
        if (code >= 400) refusal = code;
      },
      data: (text) => {
        if (refusal === undefined) this.#take(lines.take(text));
      },
      ended: (error) => {
        // Who may read and not follow sees what there was.
        if (refusal === 403) this.#stay();
        else if (refusal !== undefined || error !== undefined) this.#fail(error ?? `HTTP ${refusal}`);
        else this.#again();
      },
    });
  }

  #take(lines: readonly string[]): void {
    const more: TraceHop[] = [];
    let { ring } = this.#view;
    for (const line of lines) {
      const event = JSON.parse(line) as StreamLine;
      if (event.type === 'ADDED') more.push(event.object);
      else ring = event.object.ring ?? ring;
    }
    if (more.length === 0 && ring === this.#view.ring) return;
    this.#show({
      ...(this.#view.isCut === true ? { isCut: true } : {}),
      ...this.#merged(more),
      ...(ring === undefined ? {} : { ring }),
    });
  }

  /** With what came; said to be cut where that pushes something out. */
  #merged(more: readonly TraceHop[]): Pick<LiveStoryView, 'hops' | 'isCut'> {
    if (more.length === 0) return { hops: this.#view.hops };
    const all = mergeHops(this.#view.hops, more);
    return all.length <= HOPS_MAX ? { hops: all } : { hops: all.slice(-HOPS_MAX), isCut: true };
  }

  #fail(error: string, isForbidden = false): void {
    if (this.#isStopped) return;
    this.#show({ ...this.#view, error });
    if (!isForbidden) this.#again();
  }

  #stay(): void {
    if (!this.#isStopped) this.#show({ ...this.#view, isRead: true });
  }

  #again(): void {
    if (this.#isStopped) return;
    this.#stop = this.#world.after(this.#retryMs, () => this.start());
    this.#retryMs = Math.min(RETRY_MS_MAX, this.#retryMs * 2);
  }

  #show(view: LiveStoryView): void {
    this.#view = view;
    this.#tell(view);
  }
}
