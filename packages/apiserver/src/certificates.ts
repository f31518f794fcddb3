/** The door of certificates alone, for processes that run no API server. */
export { ensureSelfSigned } from './node/certificates.ts';
export type { CertificateSubject, KeyPair } from './node/certificate-order.ts';
