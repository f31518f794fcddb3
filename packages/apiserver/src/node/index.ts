/** The door for Node: certificates and keys on disk, the TLS listener. */
export { ensureCertificates } from './certificates.ts';
export type { CertificateOptions, Certificates } from './certificates.ts';
export { CertificateError } from './certificate-error.ts';
export type { CertificateSubject, KeyPair } from './certificate-order.ts';
export { createTokenKeys, ensureTokenKeys } from './token-keys.ts';
export { listen } from './listener.ts';
export type { Listener, ListenerOptions } from './listener.ts';
export { connectNodes, NodeConnectionError } from './node-connector.ts';
export type { NodeConnectorOptions } from './node-connector.ts';
