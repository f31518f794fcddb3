import type { KindBehaviours } from '../behaviour.ts';
import * as control from '../columns/control.ts';
import { SIGNING_REQUEST_STRATEGY } from './signing-requests/strategy.ts';
import { TRUST_BUNDLE_CHECKS } from './trust-bundles/contents.ts';

/** The resources of certificates.k8s.io: one row for each (see core/table.ts). */
export const CERTIFICATE_KINDS: KindBehaviours = {
  'certificatesigningrequests.certificates.k8s.io': {
    columns: control.signingRequestPrinter,
    strategy: SIGNING_REQUEST_STRATEGY,
  },
  'clustertrustbundles.certificates.k8s.io': {
    unconditionalUpdate: false,
    checks: TRUST_BUNDLE_CHECKS,
    columns: control.trustBundlePrinter,
  },
};
