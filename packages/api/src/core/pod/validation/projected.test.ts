import { checkSpecs, volume } from '../../../testing/pod-spec-table.ts';

const bundle = (source: object): object =>
  volume({ projected: { sources: [{ clusterTrustBundle: { path: 'p', ...source } }] } });
const BUNDLE = 'spec.volumes[0].projected.sources[0].clusterTrustBundle';

checkSpecs('projected volumes', [
  [
    'a short-lived token',
    'validateProjectionSources',
    {
      serviceAccountName: 'x',
      ...volume({ projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 10 } }] } }),
    },
    'spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes',
  ],
  [
    'a token without an account',
    'validatePodMetadataAndSpec',
    volume({ projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }),
    'spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set',
  ],
  [
    'two files of one path',
    'validateProjectionSources',
    volume({
      projected: {
        sources: [
          { secret: { name: 's', items: [{ key: 'k', path: 'p' }] } },
          { configMap: { name: 'm', items: [{ key: 'k', path: 'p' }] } },
        ],
      },
    }),
    'spec.volumes[0].projected: Invalid value: "m": conflicting duplicate paths',
  ],
  [
    'two kinds in one source',
    'validateProjectionSources',
    volume({ projected: { sources: [{ secret: { name: 's' }, configMap: { name: 'm' } }] } }),
    'spec.volumes[0].projected.sources[0]: Forbidden: may not specify more than 1 volume type per source',
  ],
]);

checkSpecs('projected bundles that can be, and bundles that cannot be', [
  ['a bundle of nobody', 'validateProjectionSources', bundle({ name: 'plain' })],
  ['a bundle of a signer', 'validateProjectionSources', bundle({ name: 'a.b:c:v1' })],
  ['all of a signer', 'validateProjectionSources', bundle({ signerName: 'a.b/c', labelSelector: {} })],
  [
    'a name that is none',
    'ValidateClusterTrustBundleName',
    bundle({ name: 'a.b:c:' }),
    `${BUNDLE}.name: Invalid value: "a.b:c:": not a valid clustertrustbundlename: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
  ],
  [
    'a signer that is none',
    'ValidateSignerName',
    bundle({ signerName: 'c' }),
    `${BUNDLE}.signerName: Invalid value: "c": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
  ],
]);
