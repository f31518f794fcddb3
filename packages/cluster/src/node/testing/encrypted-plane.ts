import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiServer } from '@binnacle/apiserver';
import { Scope, silentLogger } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { makeTestFolder } from '@binnacle/base/testing';
import type { Client } from '@binnacle/client';
import { ADMIN } from '../../identities.ts';
import { startControlPlane } from '../control-plane.ts';

/** A control plane over files of its own whose Secrets rest as a configuration says; it comes up as often as asked. */
export class EncryptedPlane {
  readonly #own = makeTestFolder();
  /** All that is its own; gone with `remove`. */
  readonly folder = this.#own.path;
  readonly #config = join(this.folder, 'encryption.yaml');
  readonly #data = join(this.folder, 'data');

  /** The providers of Secrets, in YAML, one a string. */
  configure(...providers: readonly string[]): void {
    const lines = ['kind: EncryptionConfiguration', 'apiVersion: apiserver.config.k8s.io/v1', 'resources:'];
    lines.push('- resources: [secrets]', '  providers:', ...providers.map((provider) => `  - ${provider}`));
    this.write(`${lines.join('\n')}\n`);
  }

  /** The whole configuration. */
  write(text: string): void {
    writeFileSync(this.#config, text);
  }

  async whileUp(run: (client: Client, server: ApiServer) => Promise<void>, log: Logger = silentLogger): Promise<void> {
    const scope = new Scope('plane', { log: silentLogger });
    try {
      const plane = await startControlPlane({
        world: { clock: realClock, random: secureRandom, log },
        scope,
        pki: join(this.folder, 'pki'),
        store: { engine: 'sqlite', path: join(this.#data, 'store.db'), markPath: join(this.#data, 'store.mark') },
        encryption: { path: this.#config, reload: true },
      });
      await run(plane.clientAs(ADMIN), plane.server);
    } finally {
      await scope.close();
    }
  }

  /** Whether a text stands in any of its files. */
  isOnDisk(needle: string): boolean {
    return readdirSync(this.#data).some((name) => readFileSync(join(this.#data, name)).includes(needle));
  }

  remove(): void {
    this.#own.remove();
  }
}
