import '@xterm/xterm/css/xterm.css';
import { Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { pathOf } from '../api/discovery.ts';
import { containersOf } from '../logs/containers.ts';
import type { TabProps } from '../object/tab-props.ts';
import { pageNonce } from '../page-nonce.ts';
import { useText } from '../texts/use-text.ts';
import { boundedOutput } from './bounded-output.ts';
import { openExec } from './exec-socket.ts';
import type { TerminalSize } from './exec-socket.ts';

const SHELL = ['sh'];

/** A shell in a container of a pod. */
export function TerminalTab({ kind, object }: TabProps): ReactNode {
  const text = useText();
  const containers = containersOf(object);
  const [container, setContainer] = useState(containers[0] ?? '');
  const [command, setCommand] = useState('');
  const screen = useRef<HTMLDivElement>(null);
  const { name, namespace = '' } = object.metadata;
  const path = pathOf(kind, { namespace, name });
  useEffect(() => {
    const box = screen.current;
    if (box === null) return undefined;
    const words = command === '' ? SHELL : command.split(/\s+/);
    const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', tty: 'true' });
    for (const word of words) query.append('command', word);
    return showTerminal(box, `${path}/exec?${query.toString()}`);
  }, [path, container, command]);
  return (
    <Stack h="100%" gap="xs">
      <Group gap="sm">
        <Select
          aria-label={text.container}
          data={[...containers]}
          value={container}
          allowDeselect={false}
          onChange={(chosen) => setContainer(chosen ?? '')}
        />
        <TextInput
          aria-label={text.command}
          placeholder={text.command}
          defaultValue={command}
          onKeyDown={(event) => {
            if (event.key === 'Enter') setCommand(event.currentTarget.value.trim());
          }}
        />
      </Group>
      <div ref={screen} style={{ flex: 1, minHeight: '16rem' }} />
      <Text size="xs" c="dimmed">
        Ctrl-F6: {text.leaveTerminal}
      </Text>
    </Stack>
  );
}

/**
 * The terminal writes styles of its own, some at the document that it is given and some at the page's: each gets the
 * page's nonce when it is made, without which the page's policy would not let it pass.
 */
function giveStylesTheNonce(): void {
  if (Object.hasOwn(document, 'createElement')) return;
  const create = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions): HTMLElement => {
    const element = create(name, options);
    if (element instanceof HTMLStyleElement) element.nonce = pageNonce();
    return element;
  };
}

/** To the tab that the terminal is in. */
function leaveTo(box: HTMLElement): void {
  const labelled = box.closest('[role=tabpanel]')?.getAttribute('aria-labelledby');
  if (labelled !== null && labelled !== undefined)
    document.querySelector<HTMLElement>(`#${CSS.escape(labelled)}`)?.focus();
}

function showTerminal(box: HTMLElement, path: string): () => void {
  giveStylesTheNonce();
  const terminal = new Terminal({ fontSize: 13, screenReaderMode: true });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  // Every other key is the shell's: who uses no mouse has to get out of it.
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.key !== 'F6' || !event.ctrlKey) return true;
    if (event.type === 'keydown') leaveTo(box);
    return false;
  });
  terminal.open(box);
  fit.fit();
  const sizeNow = (): TerminalSize => ({ columns: terminal.cols, rows: terminal.rows });
  const session = openExec(path, sizeNow(), {
    output: boundedOutput((output, drawn) => terminal.write(output, drawn)),
    ended: (why) => terminal.write(`\r\n[${why.replaceAll(/\p{Cc}/gu, ' ')}]\r\n`),
  });
  const typed = terminal.onData((text) => session.type(text));
  const resized = terminal.onResize(() => session.resize(sizeNow()));
  const watcher = new ResizeObserver(() => fit.fit());
  watcher.observe(box);
  terminal.focus();
  return () => {
    watcher.disconnect();
    typed.dispose();
    resized.dispose();
    session.close();
    terminal.dispose();
  };
}
