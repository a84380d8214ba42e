/* Keeps the page fresh, and says so when it cannot. What somebody opened or selected is left alone. */
const main = document.getElementById('main')
const stale = document.getElementById('stale')
const everyMs = Number(main.dataset.refreshSeconds) * 1000
let readAt = new Date()

async function refresh() {
  if (document.hidden || main.querySelector('details[open]') || !getSelection().isCollapsed) return
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' }, cache: 'no-store' })
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    main.replaceChildren(...page.getElementById('main').childNodes)
    document.title = page.title
    readAt = new Date()
    stale.hidden = true
  } catch (error) {
    stale.textContent = `Not refreshed since ${readAt.toLocaleTimeString()}: Holdfast does not answer (${error.message}).`
    stale.hidden = false
  }
}

setInterval(refresh, everyMs)
document.addEventListener('visibilitychange', refresh)
