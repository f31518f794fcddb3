import { alternativeNamesOf, encodeName } from './certificate.ts';
import type { CertificateSubject, Signer } from './certificate.ts';
import { bitString, octetString, oid, sequence, set, tagged, unsignedInteger } from './der.ts';

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const SUBJECT_ALT_NAME = '2.5.29.17';
const VERSION_1 = unsignedInteger(Uint8Array.of(0));

/** DER of a request for a certificate (PKCS #10, RFC 2986), signed by the key that it is for. */
export function encodeRequest(
  subject: CertificateSubject,
  key: { readonly publicKey: Uint8Array; readonly signer: Signer },
): Uint8Array {
  const { signer } = key;
  const toBeSigned = sequence(VERSION_1, encodeName(subject), key.publicKey, tagged(0xa0, ...wishes(subject)));
  return sequence(toBeSigned, signer.algorithm, bitString(signer.sign(toBeSigned)));
}

/** The names beside the subject's, as an extension that is asked for. */
function wishes(subject: CertificateSubject): Uint8Array[] {
  const names = alternativeNamesOf(subject).map((name) => tagged(name.tag, name.contents));
  if (names.length === 0) return [];
  const extension = sequence(oid(SUBJECT_ALT_NAME), octetString(sequence(...names)));
  return [sequence(oid(EXTENSION_REQUEST), set(sequence(extension)))];
}
