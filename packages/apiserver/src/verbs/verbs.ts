import type { Clock, Random } from '@binnacle/base';
import { groupVersion } from '@binnacle/machinery';
import type { SchemaRegistry } from '@binnacle/machinery';
import type { Store } from '@binnacle/store';
import { Turns } from '../request/turns.ts';
import type { Feed } from '../cache/feed.ts';
import type { Watchers } from '../cache/watcher.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Call, Handler } from '../catalogue/definition.ts';
import type { Authorizer } from '../ports/authorization.ts';
import type { Recorder } from '../recording/recorder.ts';
import type { AdmissionChain } from './admission.ts';
import { Changer } from './change.ts';
import { Creator } from './create.ts';
import { createRemoveCollection } from './delete-collection.ts';
import { Remover } from './delete.ts';
import { FieldOwnership } from './field-ownership.ts';
import { createGet } from './get.ts';
import { Lister } from './list.ts';
import { ObjectStamp } from './metadata.ts';
import { createPatch } from './patch.ts';
import { createUpdate } from './update.ts';
import { createWatch } from './watch.ts';
import type { WatchWorld } from './watch.ts';
import type { ObjectWriter } from './write.ts';

/** What answers each verb on a stored resource, of whatever kind. */
export interface Verbs {
  readonly get: Handler<Call>;
  readonly list: Handler<Call>;
  readonly watch: Handler<Call>;
  readonly create: Handler<Call>;
  readonly update: Handler<Call>;
  readonly patch: Handler<Call>;
  readonly delete: Handler<Call>;
  readonly deletecollection: Handler<Call>;
}

/** The verbs, and what changes objects behind them. */
export interface CreatedVerbs {
  readonly verbs: Verbs;
  readonly changer: Changer;
  readonly ownership: FieldOwnership;
}

export interface VerbsWorld {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly feed: Feed;
  readonly watchers: Watchers;
  readonly lasting?: WatchWorld['lasting'];
  readonly writer: ObjectWriter;
  readonly recorder: Pick<Recorder, 'on'>;
  readonly admission: AdmissionChain;
  readonly authorizer: Authorizer;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly random: Random;
}

/** The verbs, and what changes objects for the server's own needs. */
export function createVerbs(world: VerbsWorld): CreatedVerbs {
  const { store, catalogue, feed, watchers, writer, admission, authorizer, schemas, clock, random } = world;
  const ownership = new FieldOwnership(clock);
  const startTurns = (): Turns => new Turns(clock);
  const creator = new Creator({ startTurns, writer, admission, stamp: new ObjectStamp(clock, random), ownership });
  const changer = new Changer({ startTurns, writer, admission, creator, ownership, feed, authorizer });
  const remover = new Remover({
    writer,
    admission,
    feed,
    clock,
    schemas,
    isServed: (version) => isServed(catalogue, version),
  });
  const lister = new Lister({ store, feed });
  return {
    changer,
    ownership,
    verbs: {
      get: createGet(feed),
      list: (call) => lister.list(call),
      watch: createWatch({ store, feed, watchers, random, lasting: world.lasting, isTraced: world.recorder.on }),
      create: (call) => creator.create(call),
      update: createUpdate(changer),
      patch: createPatch(changer, ownership),
      delete: (call) => remover.remove(call),
      deletecollection: createRemoveCollection(remover, lister),
    },
  };
}

function isServed(catalogue: Catalogue, version: string): boolean {
  return catalogue.infos.some((info) => groupVersion(info) === version);
}
