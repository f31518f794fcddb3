import { runCertificateApprover } from './certificate-approving/wiring.ts';
import { runCertificateCleaner } from './certificate-cleaner/wiring.ts';
import { runCertificateSigner } from './certificate-signing/wiring.ts';
import { runTrustBundlePublisher } from './trust-bundle-publisher/wiring.ts';
import type { ControllerTable } from './controller-kit.ts';

const ACCOUNT = 'certificate-controller';

/** The controllers of certificate signing requests. */
export const CERTIFICATE_CONTROLLERS: ControllerTable = {
  'certificatesigningrequest-signing-controller': { account: ACCOUNT, start: runCertificateSigner },
  'certificatesigningrequest-approving-controller': { account: ACCOUNT, start: runCertificateApprover },
  'certificatesigningrequest-cleaner-controller': { account: ACCOUNT, start: runCertificateCleaner },
  // With its feature gate alone.
  'kube-apiserver-serving-clustertrustbundle-publisher-controller': {
    account: 'kube-apiserver-serving-clustertrustbundle-publisher',
    start: runTrustBundlePublisher,
  },
};
