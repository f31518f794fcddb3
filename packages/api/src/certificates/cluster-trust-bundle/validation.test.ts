import { checkCreate, checkUpdate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const BUNDLE: Kind = ['certificates.k8s.io', 'ClusterTrustBundle', false];
const of = (name: string, signerName?: string): object => ({
  metadata: { name },
  spec: { trustBundle: 'x', ...(signerName === undefined ? {} : { signerName }) },
});
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

// Provenance: upstream pkg/apis/certificates/validation/validation.go and pkg/apis/core/validation/names.go.
checkCreate('bundles', [
  ['of nobody', 'ValidateClusterTrustBundle', BUNDLE, of('a.b')],
  ['of a signer', 'ValidateClusterTrustBundle', BUNDLE, of('example.com:foo:v1', 'example.com/foo')],
  [
    'of nobody under a signer’s name',
    'ValidateClusterTrustBundleName',
    BUNDLE,
    of('example.com:foo:v1'),
    'metadata.name: Invalid value: "example.com:foo:v1": ClusterTrustBundle without signer name must not have ":" in its name',
  ],
  ['a name that is none', 'NameIsDNSSubdomain', BUNDLE, of('A'), `metadata.name: Invalid value: "A": ${SUBDOMAIN}`],
  [
    'of a signer under another name',
    'ValidateClusterTrustBundleName',
    BUNDLE,
    of('foo', 'example.com/foo'),
    'metadata.name: Invalid value: "foo": ClusterTrustBundle for signerName example.com/foo must be named with prefix example.com:foo:',
  ],
  [
    'a prefix and nothing',
    'ValidateClusterTrustBundleName',
    BUNDLE,
    of('example.com:foo:', 'example.com/foo'),
    `metadata.name: Invalid value: "example.com:foo:": ${SUBDOMAIN}`,
  ],
  [
    'a signer that is none',
    'ValidateSignerName',
    BUNDLE,
    of('foo:a', 'foo'),
    'spec.signerName: Invalid value: "foo": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
  ],
  [
    'a prefix of names',
    'ValidateObjectMeta',
    BUNDLE,
    { metadata: { name: 'a-x', generateName: 'a-' }, spec: { trustBundle: 'x' } },
  ],
  [
    'a prefix of names that a signer does not have',
    'ValidateObjectMeta',
    BUNDLE,
    { metadata: { name: 'a.b:c:x', generateName: 'x' }, spec: { signerName: 'a.b/c', trustBundle: 'x' } },
    'metadata.generateName: Invalid value: "x": ClusterTrustBundle for signerName a.b/c must be named with prefix a.b:c:',
  ],
]);

checkUpdate('bundles', [
  ['the same', 'ValidateClusterTrustBundleUpdate', BUNDLE, of('a'), of('a')],
  [
    'another signer',
    'ValidateClusterTrustBundleUpdate',
    BUNDLE,
    of('a.b:c:d', 'a.b/c'),
    of('a.b:c:d', 'a.b/d'),
    'metadata.name: Invalid value: "a.b:c:d": ClusterTrustBundle for signerName a.b/d must be named with prefix a.b:d:',
    'spec.signerName: Invalid value: "a.b/d": field is immutable',
  ],
]);
