import { checkCreate, checkUpdate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const REQUEST: Kind = ['certificates.k8s.io', 'CertificateSigningRequest', false];
const PEM = btoa('-----BEGIN CERTIFICATE REQUEST-----\nx\n-----END CERTIFICATE REQUEST-----\n');
const spec = (fields: object): object => ({
  spec: { request: PEM, signerName: 'example.com/a', usages: ['client auth'], ...fields },
});
const conditions = (...types: string[]): object => ({
  ...spec({}),
  status: { conditions: types.map((type) => ({ type, status: 'True' })) },
});

// Provenance: upstream pkg/apis/certificates/validation/validation.go.
checkCreate('signing requests', [
  ['right', 'ValidateCertificateSigningRequestCreate', REQUEST, spec({})],
  [
    'nothing',
    'validateCertificateSigningRequest',
    REQUEST,
    { spec: {} },
    'spec.request: Invalid value: "": PEM block type must be CERTIFICATE REQUEST',
    'spec.usages: Required value',
    'spec.signerName: Required value',
  ],
  [
    'wrong usages and times',
    'validateCertificateSigningRequest',
    REQUEST,
    spec({ usages: ['any', 'any'], expirationSeconds: 599 }),
    'spec.usages[1]: Duplicate value: "any"',
    'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)',
  ],
  [
    'no domain',
    'ValidateSignerName',
    REQUEST,
    spec({ signerName: 'a' }),
    'spec.signerName: Invalid value: "a": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
  ],
  [
    'a short domain',
    'ValidateSignerName',
    REQUEST,
    spec({ signerName: 'a/b' }),
    'spec.signerName: Invalid value: "a": should be a domain with at least two segments separated by dots',
  ],
  [
    'approved and denied',
    'validateConditions',
    REQUEST,
    conditions('Approved', 'Denied', 'Denied'),
    'status.conditions[1].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    'status.conditions[2].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    'status.conditions[2].type: Duplicate value: "Denied"',
  ],
]);

checkUpdate('signing requests', [
  ['approved', 'ValidateCertificateSigningRequestUpdate', REQUEST, conditions(), conditions('Approved')],
  [
    'taken back',
    'ValidateCertificateSigningRequestUpdate',
    REQUEST,
    conditions('Approved'),
    conditions(),
    'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
  ],
]);
