import { CLUSTER_TRUST_BUNDLES, DEFAULT_FEATURES } from '@binnacle/api';
import type { ClusterTrustBundle } from '@binnacle/api/certificates/v1beta1';
import { actOnEach, isServed } from '@binnacle/client';
import type { Informer } from '@binnacle/client';
import { deleteIfThere, enqueueOn, runController } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import type { ControllerKit, StartOptions } from '../controller-kit.ts';
import { syncFigures } from '../sync-figures.ts';
import { planPublishing, SIGNER, wantedBundle } from './plan.ts';

const NAME = 'kube-apiserver-serving-clustertrustbundle-publisher-controller';
/** There is one bundle to look after. */
const KEY = 'bundle';

/**
 * Starts the controller that publishes the API server's authority as a bundle that everybody may trust: with the feature gate
 * ClusterTrustBundle, and where the API server serves the kind, which it is asked first.
 */
export function runTrustBundlePublisher(
  kit: ControllerKit,
  { rootCA, features = DEFAULT_FEATURES }: Pick<StartOptions, 'features' | 'rootCA'>,
): Controller | readonly Controller[] {
  const wanted = features.ClusterTrustBundle ? wantedBundle(rootCA) : undefined;
  if (wanted === undefined) return [];
  const client = kit.client.resource(CLUSTER_TRUST_BUNDLES);
  const counted = syncFigures(kit, 'clustertrustbundle_publisher');
  let bundles: Informer<ClusterTrustBundle> | undefined;
  const sync = async (_key: string, context: SyncContext): Promise<void> => {
    bundles ??= await follow(context);
    if (bundles === undefined) return;
    await bundles.whenSynced(context.signal);
    const { create, update, remove } = planPublishing(wanted, bundles.list());
    if (create !== undefined) await client.create(create, undefined, context);
    if (update !== undefined) await client.update(update, undefined, context);
    await actOnEach(remove, (name) => deleteIfThere({ client, context }, name));
  };
  const controller = runController({
    name: NAME,
    about: CLUSTER_TRUST_BUNDLES,
    world: kit.world,
    scope: kit.scope,
    caches: [],
    sync: (key, context) => counted(() => sync(key, context)),
  });
  const follow = async (context: SyncContext): Promise<Informer<ClusterTrustBundle> | undefined> => {
    if (!(await isServed(kit.client.wire, CLUSTER_TRUST_BUNDLES, context))) {
      kit.world.log.info(0, 'controller is not run: the API server serves no ClusterTrustBundles', { name: NAME });
      return undefined;
    }
    const followed = kit.informers.need(CLUSTER_TRUST_BUNDLES, {
      only: { fieldSelector: `spec.signerName=${SIGNER}` },
    });
    kit.scope.defer(enqueueOn(followed, controller, () => [KEY]));
    return followed;
  };
  controller.enqueue(KEY, { what: 'start' });
  return controller;
}
