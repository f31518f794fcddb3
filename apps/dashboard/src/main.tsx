import '@mantine/core/styles.css';
import './page.css';
import { createTheme, MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { currentLanguage } from './texts/use-text.ts';

const theme = createTheme({ primaryColor: 'indigo', defaultRadius: 'md' });
/** What lets our own styles pass the page's policy. */
const nonce = document.querySelector('meta[name="nonce"]')?.getAttribute('content') ?? '';

document.documentElement.lang = currentLanguage();
const root = document.querySelector('#root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
        <App />
      </MantineProvider>
    </StrictMode>,
  );
}
