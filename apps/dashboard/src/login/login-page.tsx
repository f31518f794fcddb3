import { Alert, Button, Center, Paper, PasswordInput, Stack, Tabs, Text, Textarea, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { logIn } from '../api/session.ts';
import type { Proof } from '../api/session.ts';
import { useText } from '../texts/use-text.ts';

/** Asks who somebody is; `why`: what the last try came to. */
export function LoginPage({ why, onDone }: { readonly why?: string; readonly onDone: () => void }): ReactNode {
  const text = useText();
  const [error, setError] = useState(why);
  useDocumentTitle(`${text.logIn} · Binnacle`);
  const [isBusy, setBusy] = useState(false);
  const submit = async (proof: Proof): Promise<void> => {
    setBusy(true);
    try {
      const refusal = await logIn(proof);
      if (refusal === undefined) onDone();
      else setError(refusal);
    } catch (reason) {
      setError(String(reason));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Center mih="100vh" p="md">
      <Paper component="main" withBorder p="xl" radius="md" w="100%" maw={460}>
        <Stack>
          <Title order={1} size="h2">
            Binnacle
          </Title>
          {error === undefined ? null : (
            <Alert color="red" role="alert">
              {error}
            </Alert>
          )}
          <Tabs defaultValue="token">
            <Tabs.List>
              <Tabs.Tab value="token">{text.token}</Tabs.Tab>
              <Tabs.Tab value="kubeconfig">kubeconfig</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="token" pt="md">
              <LoginForm field="token" isBusy={isBusy} onSubmit={submit} />
            </Tabs.Panel>
            <Tabs.Panel value="kubeconfig" pt="md">
              <LoginForm field="kubeconfig" isBusy={isBusy} onSubmit={submit} />
            </Tabs.Panel>
          </Tabs>
          <Text size="sm" c="dimmed">
            {text.loginHint}
          </Text>
        </Stack>
      </Paper>
    </Center>
  );
}

interface LoginFormProps {
  readonly field: 'token' | 'kubeconfig';
  readonly isBusy: boolean;
  readonly onSubmit: (proof: Proof) => Promise<void>;
}

function LoginForm({ field, isBusy, onSubmit }: LoginFormProps): ReactNode {
  const text = useText();
  const [value, setValue] = useState('');
  const send = (event: FormEvent): void => {
    event.preventDefault();
    // Never rejects: what goes wrong is shown.
    void onSubmit(field === 'token' ? { token: value.trim() } : { kubeconfig: value });
  };
  const shared = { label: field === 'token' ? text.token : 'kubeconfig', value, required: true };
  return (
    <form onSubmit={send}>
      <Stack>
        {field === 'token' ? (
          <PasswordInput {...shared} autoComplete="off" onChange={(event) => setValue(event.currentTarget.value)} />
        ) : (
          <Textarea {...shared} rows={8} onChange={(event) => setValue(event.currentTarget.value)} />
        )}
        <Button type="submit" loading={isBusy}>
          {text.logIn}
        </Button>
      </Stack>
    </form>
  );
}
