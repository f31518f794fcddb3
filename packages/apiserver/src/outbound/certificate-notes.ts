import type { CertificateFlaw } from '@binnacle/base';

const REASONS: { readonly [flaw in CertificateFlaw]: string } = {
  'missing-san': 'relies on a legacy Common Name field instead of the SAN extension for subject validation',
  'insecure-sha1': 'uses an insecure SHA-1 signature',
};

/** Adds to the audit record of the request for which somebody is asked. */
export type Annotate = (key: string, value: string) => void;

/** Notes what is wrong with the certificate of the server at `url`: `missing-san.invalid-cert.kubernetes.io/HOST`. */
export function certificateNotes(url: string, annotate: Annotate | undefined): (flaw: CertificateFlaw) => void {
  return (flaw) => {
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    annotate?.(`${flaw}.invalid-cert.kubernetes.io/${host}`, REASONS[flaw]);
  };
}
