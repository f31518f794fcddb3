/** The door for Node: keys and certificates on disk. */
export { ensureCertificates, ensureFrontProxy, ensureSelfSigned } from './authority.ts';
export type { CertificateOptions, Certificates } from './authority.ts';
export { isVouchedFor, readAuthorities } from './check-client.ts';
export { checkRequestSignature } from './check-request.ts';
export { issueCertificate, makeAuthority, signRequest } from './issue.ts';
export type { Grant, KeyPair, Life } from './issue.ts';
export { checkPair } from './pair.ts';
export { makeRequest } from './make-request.ts';
export { createRequestSigner } from './signer.ts';
export type { RequestSigner } from './signer.ts';
