import type { ApiServer } from '@binnacle/apiserver';
import { createClient, createLoggingWire } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import type { UserInfo } from '@binnacle/machinery';
import type { World } from './world.ts';

/** Callers in the process of an API server; log lines about what they do carry their names. */
export function clientsOf(server: Pick<ApiServer, 'clientAs'>, { clock, log }: World): (user: UserInfo) => Client {
  return (user) => createClient(createLoggingWire(server.clientAs(user), { clock, log: log.named(user.name) }));
}
