import { NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '@binnacle/api';
import type { Node } from '@binnacle/api/core/v1';
import type { Scope } from '@binnacle/base';
import { cacheKey, createEventRecorder, createInformer } from '@binnacle/client';
import type { Client, ClientWorld } from '@binnacle/client';
import { enqueueOn, runController, triggerOf } from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import { PROVISIONER, SELECTED_NODE } from './names.ts';
import { Provisioner } from './provisioner.ts';
import type { Directories } from './provisioner.ts';

/** For which nodes volumes are made, where, and as whom. */
export interface LocalPathOptions {
  readonly client: Client;
  readonly world: ClientWorld;
  /** The provisioner stops with it. */
  readonly scope: Scope;
  /** The folder on the node, absolute, without a slash at its end. */
  readonly root: string;
  /** Whether a node's directories are this process's to make. */
  readonly isOurNode: (name: string) => boolean;
  /** Absent: nothing is put on disk. */
  readonly directories?: Directories;
}

/** Index of claims: by the node that was chosen for them. */
const BY_NODE = 'selected-node';

/** Starts the provisioner for the nodes of this process. Keys: `claim/<namespace>/<name>`, `volume/<name>`. */
export function startLocalPath(options: LocalPathOptions): Controller {
  const { client, world, scope, root, isOurNode, directories } = options;
  const claims = createInformer(client, PERSISTENT_VOLUME_CLAIMS, world, {
    indexes: { [BY_NODE]: ({ metadata }) => [metadata.annotations?.[SELECTED_NODE] ?? ''] },
  });
  const volumes = createInformer(client, PERSISTENT_VOLUMES, world);
  const classes = createInformer(client, STORAGE_CLASSES, world);
  const nodes = createInformer(client, NODES, world, { project: nameAndLabels });
  const events = createEventRecorder({ client, world, scope, component: PROVISIONER });
  const provisioner = new Provisioner({
    client,
    events,
    claims,
    volumes,
    classes,
    nodes,
    root,
    isOurNode,
    directories,
  });
  const caches = [claims, volumes, classes, nodes];
  const controller = runController({
    name: 'local-path',
    world,
    scope,
    caches,
    sync: (key, context) =>
      key.startsWith('claim/')
        ? provisioner.syncClaim(key.slice('claim/'.length), context)
        : provisioner.syncVolume(key.slice('volume/'.length), context),
  });
  scope.defer(enqueueOn(claims, controller, (claim) => [`claim/${cacheKey(claim)}`]));
  scope.defer(enqueueOn(volumes, controller, ({ metadata }) => [`volume/${metadata.name ?? ''}`]));
  scope.defer(enqueueOn(classes, controller, () => claims.list().map((claim) => `claim/${cacheKey(claim)}`)));
  scope.defer(
    nodes.subscribe({
      remove: (node) => {
        for (const claim of claims.byIndex(BY_NODE, node.metadata.name ?? '')) {
          controller.enqueue(`claim/${cacheKey(claim)}`, triggerOf('DELETED', node));
        }
      },
    }),
  );
  scope.run('local-path sweep', async (signal) => {
    await Promise.all(caches.map((cache) => cache.whenSynced(signal)));
    await provisioner.sweep();
  });
  for (const cache of caches) cache.start(scope);
  return controller;
}

/** What of a node decides where volumes are made. */
function nameAndLabels({ metadata }: Node): Node {
  return { metadata, spec: {} };
}
