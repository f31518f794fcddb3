import { checkSpecs, volume } from '../../../testing/pod-spec-table.ts';

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
