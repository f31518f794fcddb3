import { isIP } from 'node:net';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { parseCount } from './flag-options.ts';

/** Where nobody says another; upstream's is open to the network. */
export const BIND_ADDRESS = '127.0.0.1';

/** Adds the flags; `port`: upstream's for this component. */
export function portOptions(command: Command, port: number): Command {
  return command
    .addOption(
      new Option(
        '--secure-port <port>',
        `where its health and figures are told, over HTTPS; 0: nowhere (default: ${port}, or any other where that is taken)`,
      ).argParser(parseCount),
    )
    .addOption(
      new Option('--bind-address <ip>', `the address of that port (default: ${BIND_ADDRESS})`).argParser((text) => {
        if (isIP(text) === 0) throw new InvalidArgumentError('expected an address');
        return text;
      }),
    )
    .option('--tls-cert-file <file>', 'its certificate (default: one that is made and that nobody vouches for)')
    .option('--tls-private-key-file <file>', "the certificate's key")
    .option(
      '--client-ca-file <file>',
      "whose client certificates are believed there (default: whose the API server's are)",
    );
}
