import { Alert, Button, Code, Group, NumberInput, Select, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { request } from '../api/request.ts';
import type { ApiRequest } from '../api/request.ts';
import type { TabProps } from '../object/tab-props.ts';
import { Dialog } from '../shell/dialog.tsx';
import { useText } from '../texts/use-text.ts';
import type { Action, ActionWorld } from './action.ts';

interface ActionDialogProps extends Pick<TabProps, 'object'> {
  readonly action: Action;
  readonly name: string;
  readonly onClose: () => void;
}

/** What will be done, what is asked before, and the same on a command line. */
export function ActionDialog({ action, name, object, onClose }: ActionDialogProps): ReactNode {
  const text = useText();
  const { replicas = 1 } = (object['spec'] ?? {}) as { readonly replicas?: number };
  const [answer, setAnswer] = useState(action.asks === 'count' ? String(replicas) : 'Background');
  // An emptied field is no nought.
  const isAnswered = action.asks !== 'count' || /^\d+$/.test(answer);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [progress, setProgress] = useState<string>();
  const closed = useRef(new AbortController());
  useEffect(() => {
    const { current } = closed;
    // What is torn down for a trial only (strict mode) is built again with a new one.
    if (current.signal.aborted) closed.current = new AbortController();
    return () => closed.current.abort();
  }, []);
  const act = async (): Promise<void> => {
    setBusy(true);
    try {
      await action.act(answer, worldOf(closed.current.signal, setProgress));
      onClose();
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason));
      setBusy(false);
    }
  };
  return (
    <Dialog onClose={onClose} title={`${text[action.name]}: ${name}`}>
      <Stack>
        <Question action={action} answer={answer} onAnswer={setAnswer} />
        <Stack gap={4}>
          <Text size="sm" c="dimmed">
            {text.sameAs}
          </Text>
          <Code block tabIndex={0}>
            {action.kubectl(answer)}
          </Code>
        </Stack>
        {progress === undefined ? null : (
          <Text size="sm" role="status">
            {progress}
          </Text>
        )}
        {error === undefined ? null : (
          <Alert color="red" role="alert">
            {error}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button
            color={action.name === 'delete' ? 'red' : 'indigo'}
            loading={isBusy}
            disabled={!isAnswered}
            onClick={() => void act()}
          >
            {text[action.name]}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

interface QuestionProps {
  readonly action: Action;
  readonly answer: string;
  readonly onAnswer: (answer: string) => void;
}

const PROPAGATIONS = ['Background', 'Foreground', 'Orphan'];

function Question({ action, answer, onAnswer }: QuestionProps): ReactNode {
  const text = useText();
  if (action.asks === 'count') {
    return (
      <NumberInput
        label={text.replicas}
        min={0}
        allowDecimal={false}
        value={answer === '' ? '' : Number(answer)}
        onChange={(value) => onAnswer(String(value))}
        data-autofocus
      />
    );
  }
  if (action.asks !== 'propagation') return null;
  return (
    <Select
      label={text.propagation}
      data={PROPAGATIONS}
      value={answer}
      allowDeselect={false}
      onChange={(value) => onAnswer(value ?? 'Background')}
    />
  );
}

/** Longer ones end with the dialog. */
function worldOf(closed: AbortSignal, tell: (progress: string) => void): ActionWorld {
  return {
    nowMs: Date.now(),
    tell,
    send: async <T,>(call: ApiRequest) => (await request<T>({ ...call, signal: closed })).value,
    wait: (delayMs) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, delayMs);
        closed.addEventListener('abort', () => {
          clearTimeout(timer);
          reject(new DOMException('the dialog was closed', 'AbortError'));
        });
      }),
  };
}
