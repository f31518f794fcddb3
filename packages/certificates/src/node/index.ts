/** The door for Node: keys and certificates on disk. */
export { ensureCertificates, ensureSelfSigned } from './authority.ts';
export type { CertificateOptions, Certificates } from './authority.ts';
export { checkRequestSignature } from './check-request.ts';
export { issueCertificate, makeAuthority } from './issue.ts';
export type { KeyPair, Life } from './issue.ts';
