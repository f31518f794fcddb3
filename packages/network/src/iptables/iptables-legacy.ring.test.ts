/** Services by iptables (as old hosts have it) on a real kernel. */
import { silentLogger } from '@binnacle/base';
import { inside, NODE_NS } from '../testing/namespaces.ts';
import { testServiceNetwork } from '../testing/service-network-suite.ts';
import { IptablesNetwork } from './iptables-network.ts';

const TOOLS = ['iptables-legacy', 'ip6tables-legacy'];
const save = (): string => TOOLS.map((tool) => inside(NODE_NS, `${tool}-save`)).join('');

testServiceNetwork({
  make: (run) =>
    new IptablesNetwork({ prefix: 'BINTEST', families: ['IPv4', 'IPv6'], run, log: silentLogger, variant: 'legacy' }),
  leftovers: () => save().match(/.*BINTEST.*/)?.[0] ?? '',
  flush: () => {
    for (const tool of TOOLS)
      for (const table of ['nat', 'filter']) for (const verb of ['-F', '-X']) inside(NODE_NS, tool, '-t', table, verb);
  },
});
