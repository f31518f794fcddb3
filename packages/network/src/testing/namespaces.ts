/** Network namespaces of a node, its pods and a client outside, with servers in the pods: rules on a real kernel. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The node's address on the link to the client, which has 192.0.2.9. */
export const NODE_ADDRESS = '192.0.2.1';
/** Pods are 10.244.0.N and fd02::1N, behind the node's 10.244.0.1 and fd02::1. */
export const POD_NUMBERS = [2, 3, 4];

const TAG = `bt${process.pid}`;
export const NODE_NS = `${TAG}n`;
export const CLIENT_NS = `${TAG}c`;
/** The namespace of a pod. */
export const pod = (number: number): string => `${TAG}p${number}`;

const children: ChildProcess[] = [];
const ip = (...args: readonly string[]): string => execFileSync('ip', args, { encoding: 'utf8' });
/** Runs a command in a namespace; answers with its output. */
export const inside = (ns: string, ...args: readonly string[]): string => ip('netns', 'exec', ns, ...args);

/**
 * A link looks for a second or two whether its own link-local address is taken, and asks for no neighbour of packets that
 * it forwards before. (RFC 4862 5.4)
 */
function doubtNoAddress(ns: string): void {
  for (const which of ['all', 'default']) inside(ns, 'sysctl', '-qw', `net.ipv6.conf.${which}.accept_dad=0`);
}

/** How a namespace is linked to the node's. */
interface Link {
  /** The node's end. */
  readonly link: string;
  readonly addresses: readonly [four: string, six: string];
  readonly gateways: readonly string[];
}

function connect(ns: string, { link, addresses: [address, six], gateways }: Link): void {
  ip('netns', 'add', ns);
  doubtNoAddress(ns);
  ip('link', 'add', 'eth0', 'netns', ns, 'type', 'veth', 'peer', 'name', link, 'netns', NODE_NS);
  ip('-n', ns, 'addr', 'add', address, 'dev', 'eth0');
  ip('-n', ns, 'addr', 'add', six, 'dev', 'eth0', 'nodad');
  ip('-n', ns, 'link', 'set', 'eth0', 'up');
  ip('-n', ns, 'link', 'set', 'lo', 'up');
  for (const via of gateways) ip('-n', ns, 'route', 'add', 'default', 'via', via);
}

/** Answers with its name and who asks, over TCP and UDP; over TCP to each line again. */
const SERVER = `
  const [, name] = process.argv;
  const from = (address) => name + ' ' + address.replace('::ffff:', '');
  const once = require('node:net').createServer((socket) => socket.on('error', () => {}).end(from(socket.remoteAddress)));
  const again = require('node:net').createServer((socket) => socket.on('error', () => {}).on('data', () => socket.write(name)));
  const datagrams = require('node:dgram').createSocket('udp4', (_, to) => datagrams.send(from(to.address), to.port, to.address));
  once.listen(8080, '::', () => again.listen(8081, '::', () => datagrams.bind(8080, () => console.log('ready'))));
`;

async function serve(ns: string, name: string): Promise<void> {
  const args = ['netns', 'exec', ns, process.execPath, '-e', SERVER, name];
  const child = spawn('ip', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
}

/** Makes all of them. */
export async function makeNamespaces(): Promise<void> {
  ip('netns', 'add', NODE_NS);
  doubtNoAddress(NODE_NS);
  ip('-n', NODE_NS, 'link', 'set', 'lo', 'up');
  ip('-n', NODE_NS, 'link', 'add', 'br0', 'type', 'bridge');
  ip('-n', NODE_NS, 'addr', 'add', '10.244.0.1/24', 'dev', 'br0');
  ip('-n', NODE_NS, 'addr', 'add', 'fd02::1/64', 'dev', 'br0', 'nodad');
  ip('-n', NODE_NS, 'link', 'set', 'br0', 'up');
  const sysctl = (name: string, value: string): string => inside(NODE_NS, 'sysctl', '-qw', `${name}=${value}`);
  sysctl('net.ipv4.ip_forward', '1');
  sysctl('net.ipv6.conf.all.forwarding', '1');
  for (const number of POD_NUMBERS) {
    connect(pod(number), {
      link: `v${number}`,
      addresses: [`10.244.0.${number}/24`, `fd02::${number + 10}/64`],
      gateways: ['10.244.0.1', 'fd02::1'],
    });
    ip('-n', NODE_NS, 'link', 'set', `v${number}`, 'master', 'br0', 'up');
    execFileSync('ip', ['netns', 'exec', NODE_NS, 'bridge', 'link', 'set', 'dev', `v${number}`, 'hairpin', 'on']);
  }
  connect(CLIENT_NS, { link: 'up0', addresses: ['192.0.2.9/24', 'fd09::9/64'], gateways: ['192.0.2.1', 'fd09::1'] });
  ip('-n', NODE_NS, 'addr', 'add', `${NODE_ADDRESS}/24`, 'dev', 'up0');
  ip('-n', NODE_NS, 'addr', 'add', 'fd09::1/64', 'dev', 'up0', 'nodad');
  ip('-n', NODE_NS, 'link', 'set', 'up0', 'up');
  ip('-n', NODE_NS, 'route', 'add', 'default', 'via', '192.0.2.9');
  await Promise.all(POD_NUMBERS.map((number) => serve(pod(number), `p${number}`)));
}

/** Takes them away, with all that runs in them. */
export async function removeNamespaces(): Promise<void> {
  for (const child of children) {
    const ended = once(child, 'exit');
    if (child.kill('SIGKILL')) await ended;
  }
  for (const ns of [NODE_NS, CLIENT_NS, ...POD_NUMBERS.map(pod)]) ip('netns', 'del', ns);
}

const UDP_CLIENT = `
  const [, address, port, own] = process.argv;
  const socket = require('node:dgram').createSocket('udp4', (text) => {
    console.log(String(text));
    socket.close();
  });
  socket.bind(Number(own), () => socket.send('x', Number(port), address));
  setTimeout(() => process.exit(), 2000).unref();
`;

/** What a connection hears; `refused` at once, or `silence`. */
export function ask(ns: string, address: string, port: number): Promise<string> {
  return hear(['netns', 'exec', ns, 'busybox', 'nc', '-w', '1', address, `${port}`]);
}

/** What a datagram hears; `at`: its port, and after a colon the one that it is sent from (absent: any). */
export function askByDatagram(ns: string, address: string, at: number | `${number}:${number}`): Promise<string> {
  return hear(['netns', 'exec', ns, process.execPath, '-e', UDP_CLIENT, address, ...`${at}:0`.split(':', 2)]);
}

/** Asserts what a question hears. Who hears nothing waits for a second or two: those of one state of rules are best asked side by side. */
export async function hears(
  asked: Promise<string>,
  expected: RegExp | 'refused' | 'silence',
  why?: string,
): Promise<void> {
  const answer = await asked;
  if (typeof expected === 'string') assert.equal(answer, expected, why);
  else assert.match(answer, expected, why);
}

async function hear(args: readonly string[]): Promise<string> {
  const child = spawn('ip', args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let heard = '';
  let complaint = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (heard += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  child.stdin.on('error', () => (complaint += 'refused'));
  await once(child, 'close');
  if (heard !== '') return heard.trim();
  return complaint.includes('refused') ? 'refused' : 'silence';
}

/** A connection to port 8081 that stays; `asks` says whether it is answered still. */
export async function stay(
  ns: string,
  address: string,
): Promise<{ readonly asks: () => Promise<boolean>; readonly end: () => Promise<void> }> {
  const child = spawn('ip', ['netns', 'exec', ns, 'busybox', 'nc', address, '8081'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => child.kill());
  const asks = async (): Promise<boolean> => {
    child.stdin.write('x\n');
    const answer = once(child.stdout, 'data').then(() => true);
    const late = once(AbortSignal.timeout(2000), 'abort').then(() => false);
    return Promise.race([answer, late]);
  };
  const end = async (): Promise<void> => {
    const ended = once(child, 'exit');
    if (child.kill()) await ended;
  };
  return { asks, end };
}
