import { createSeededRandom, silentLogger, VirtualClock } from '@binnacle/base';
import { groupVersion } from '@binnacle/machinery';
import type { Store } from '@binnacle/store';
import { LOOPBACK_USER } from '../own-calls.ts';
import { createApiServer } from '../server.ts';
import { fixtureOf } from './path-fixtures.ts';

/** Writes one object of every kind that the fixtures make valid, and answers with their resources (`v1/pods`), in order. */
export async function writeGolden(store: Store): Promise<readonly string[]> {
  const clock = new VirtualClock();
  const random = createSeededRandom(5);
  const server = await createApiServer({ store, clock, random, log: silentLogger });
  const wire = server.clientAs(LOOPBACK_USER);
  const written: string[] = [];
  for (const { definition } of server.catalogue.all()) {
    const { storage: info } = definition;
    const { name = 'x', fields } = fixtureOf(info.kind);
    const place = info.namespaced ? { namespace: 'paths' } : {};
    const apiVersion = groupVersion(info);
    const body = { apiVersion, kind: info.kind, metadata: { name, ...place }, ...fields };
    try {
      await wire.call({ verb: 'create', resource: info, ...place, body });
    } catch (error) {
      // A kind whose least object the fixtures do not know.
      if ((error as { code?: unknown }).code !== 'Invalid') throw error;
      continue;
    }
    written.push(`${apiVersion}/${info.resource}`);
  }
  await server.close();
  return written;
}
