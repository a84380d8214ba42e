import { type ErrorEntry, exitCodes, itemLines, joined } from '../entry.ts'

/** Requests over HTTP, to us and to the forge. */
export const requests = {
  E_FORGE_UNAVAILABLE: {
    status: 503,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ call, why }) => `The forge did not answer ${call}: ${why}.`,
    hint: 'Holdfast tries again by itself; nothing is decided until the forge answers.',
  },
  E_REQUEST_INVALID: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.usage,
    message: ({ where, problems }) => `The ${where} is not usable:${itemLines(problems)}`,
    hint: 'Nothing was changed. Correct what is named and send it again.',
  },
  E_REQUEST_TOO_LARGE: {
    status: 413,
    retryable: false,
    exitCode: exitCodes.usage,
    message: ({ bytesMax }) => `The request's body is larger than ${bytesMax} bytes.`,
    hint: 'Nothing was read beyond the bound, and nothing was changed. Send less.',
  },
  E_REQUEST_CUT: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.usage,
    message: () => `The request's body ended before it was whole.`,
    hint: 'Nothing was changed. Send it again.',
  },
  E_PATH_UNKNOWN: {
    status: 404,
    retryable: false,
    exitCode: exitCodes.notFound,
    message: ({ method, path }) => `Nothing is served at ${method} ${path}.`,
    hint: 'The API begins at /v1/about, the status page is /.',
  },
  E_METHOD_WRONG: {
    status: 405,
    retryable: false,
    exitCode: exitCodes.usage,
    message: ({ method, path, allowed }) => `${path} does not take ${method}; it takes ${joined(allowed)}.`,
    hint: 'Nothing was changed. Send it with the method that is named.',
  },
  E_TOKEN_REQUIRED: {
    status: 401,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ act }) => `An operator's token is needed to ${act}, and none that is valid was sent.`,
    hint: 'Send "Authorization: Bearer …" with the content of operator-token in the data folder; the command line reads it from there, or from HOLDFAST_TOKEN.',
  },
  E_WEBHOOK_REFUSED: {
    status: 401,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ why }) => `The webhook was not accepted: ${why}.`,
    hint: 'Check that the forge signs with one of the secrets in forge.webhookSecrets.',
  },
  E_CONTENT_TYPE: {
    status: 415,
    retryable: false,
    exitCode: exitCodes.usage,
    message: ({ expected, got }) => `The request's content type is "${got}"; expected ${expected}.`,
    hint: 'Nothing was read. Set the content type of the webhook to application/json at the forge.',
  },
  E_DELIVERY_UNKNOWN: {
    status: 404,
    retryable: false,
    exitCode: exitCodes.notFound,
    message: ({ guid }) => `No delivery ${guid} was kept here.`,
    hint: 'List what was kept with: holdfast deliveries --state poison pending done ignored',
  },
  E_DELIVERY_PENDING: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ guid }) => `Delivery ${guid} is not settled yet: it is still to be worked on.`,
    hint: 'Nothing was changed. How it stands is shown by: holdfast deliveries --state pending',
  },
  E_OVERLOADED: {
    status: 503,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ what, max }) => `${max} ${what} are under way already.`,
    hint: 'Try again after the time that Retry-After names.',
  },
} as const satisfies Record<string, ErrorEntry>
