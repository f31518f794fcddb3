/** The door of certificates: encoding, neutral. Keys and files are in `./node`. */
export { CertificateError } from './errors.ts';
export { readRequest } from './request.ts';
export type { CertificateRequest } from './request.ts';
export { encodeCertificate, encodeName, readIssuer } from './certificate.ts';
export type {
  CertificateContents,
  CertificateSubject,
  ExtendedKeyUsage,
  Issuer,
  KeyUsage,
  Signer,
} from './certificate.ts';
