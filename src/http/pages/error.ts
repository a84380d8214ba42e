import { html } from 'hono/html'
import type { Markup } from './layout.ts'

/** The page that a browser gets in place of an error's JSON. */
export function errorPage(
  status: number,
  { code, message, hint }: { readonly code: string; readonly message: string; readonly hint: string },
): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Holdfast: ${status}</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/status.css">
</head>
<body>
<header><a class="name" href="/">Holdfast</a></header>
<main>
<h1>${message}</h1>
<p>${hint}</p>
<p class="quiet">${status} · ${code}</p>
</main>
</body>
</html>
`
}
