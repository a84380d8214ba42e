/* Keeps the page fresh, and says so when it cannot. What somebody opened or selected is left alone. */
const main = document.getElementById('main')
const stale = document.getElementById('stale')
const everyMs = Number(main.dataset.refreshSeconds) * 1000
let readAt = new Date()
let isAsking = false

async function refresh() {
  if (document.hidden || main.querySelector('details[open]') || !getSelection().isCollapsed) return
  if (isAsking) return
  isAsking = true
  try {
    // A server that hangs says nothing at all: after two rounds that is said.
    const signal = AbortSignal.timeout(2 * everyMs)
    const answer = await fetch(location.href, { headers: { accept: 'text/html' }, cache: 'no-store', signal })
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const focused = placeOf(document.activeElement)
    main.replaceChildren(...page.getElementById('main').childNodes)
    focused?.()?.focus({ preventScroll: true })
    document.title = page.title
    readAt = new Date()
    stale.hidden = true
  } catch (error) {
    stale.textContent = `Not refreshed since ${readAt.toLocaleTimeString()}: Holdfast does not answer (${error.message}).`
    stale.hidden = false
  } finally {
    isAsking = false
  }
}

/* How to find again what has the keyboard's focus, when the page around it is new: the same link, by its turn. */
function placeOf(element) {
  if (!main.contains(element)) return null
  const href = element.getAttribute('href')
  const own = href === null ? element.tagName : `${element.tagName}[href="${CSS.escape(href)}"]`
  const turn = [...main.querySelectorAll(own)].indexOf(element)
  return () => main.querySelectorAll(own)[turn]
}

setInterval(refresh, everyMs)
document.addEventListener('visibilitychange', refresh)
