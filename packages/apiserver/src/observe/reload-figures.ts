/** How configurations that lie in files were read anew, in upstream's names (k8s.io/apiserver, server/options). */
import type { Clock } from '@binnacle/base';
import type { FollowedConfig, ReloadMeasures } from '../ports/reload-measures.ts';
import { CounterFamily } from './series.ts';
import type { Figures } from './series.ts';

export interface ReloadFiguresWorld {
  readonly clock: Pick<Clock, 'now'>;
  /** What is shown in place of texts and names: `sha256:…`. */
  readonly hash: (text: string) => string;
  /** By which the servers of a cluster know this one. */
  readonly serverId: string;
}

/** Keeps score of configurations that are followed, and shows it. */
export class ReloadFigures implements Figures {
  readonly #world: ReloadFiguresWorld;
  readonly #followed = new Map<FollowedConfig, Followed>();

  constructor(world: ReloadFiguresWorld) {
    this.#world = world;
  }

  /** Keeps score of one configuration: shown from then on. */
  of(config: FollowedConfig): ReloadMeasures {
    const known = this.#followed.get(config) ?? new Followed(config, this.#world);
    this.#followed.set(config, known);
    return known;
  }

  render(out: string[]): void {
    for (const one of this.#followed.values()) one.render(out);
  }
}

class Followed implements ReloadMeasures, Figures {
  readonly #prefix: string;
  readonly #world: ReloadFiguresWorld;
  readonly #server: string;
  readonly #total: CounterFamily;
  readonly #last: CounterFamily;
  #hash: string | undefined;

  constructor(config: FollowedConfig, world: ReloadFiguresWorld) {
    this.#prefix = `apiserver_${config}_config_controller`;
    this.#world = world;
    this.#server = world.hash(world.serverId);
    const labels = ['status', 'apiserver_id_hash'];
    this.#total = new CounterFamily({
      name: `${this.#prefix}_automatic_reloads_total`,
      help: 'How often the file was read anew, by whether it counts now.',
      labels,
    });
    this.#last = new CounterFamily({
      name: `${this.#prefix}_automatic_reload_last_timestamp_seconds`,
      help: 'When that was last.',
      labels,
      type: 'gauge',
    });
  }

  applied(text: string): void {
    this.#hash = this.#world.hash(text);
  }

  succeeded(text: string): void {
    this.#ended('success');
    this.applied(text);
  }

  failed(): void {
    this.#ended('failure');
  }

  #ended(status: 'success' | 'failure'): void {
    this.#total.add([status, this.#server]);
    this.#last.set([status, this.#server], this.#world.clock.now() / 1000);
  }

  render(out: string[]): void {
    this.#total.render(out);
    this.#last.render(out);
    if (this.#hash === undefined) return;
    const info = new CounterFamily({
      name: `${this.#prefix}_last_config_info`,
      help: 'Which text counts.',
      labels: ['apiserver_id_hash', 'hash'],
      type: 'gauge',
    });
    info.set([this.#server, this.#hash], 1);
    info.render(out);
  }
}
