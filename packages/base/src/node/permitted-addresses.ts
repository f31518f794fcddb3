import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import type { HttpCall } from '../http.ts';
import { describeFailure, FORBIDDEN_ADDRESS, ForbiddenAddressError, HttpConnectError } from '../http-errors.ts';

/** Throws HttpConnectError for an address that the call may not go to: it needs no lookup, and gets none. */
export function checkAddress(call: HttpCall): void {
  const { permits, dial, url } = call;
  if (permits === undefined) return;
  const host = dial?.host ?? new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0 || permits(host)) return;
  throw new HttpConnectError(call, describeFailure({ code: FORBIDDEN_ADDRESS, message: '', address: host, host }));
}

/** Looks a name up and leaves out what may not be connected to. */
export function permitted(permits: (address: string) => boolean): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, '');
      const allowed = found.filter(({ address }) => permits(address));
      const [first] = allowed;
      if (first === undefined) return done(new ForbiddenAddressError(), '');
      if (options.all === true) return done(null, allowed);
      return done(null, first.address, first.family);
    });
  };
}
