/** A port with some methods replaced. */
export function override<Port extends object>(port: Port, methods: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, property) => Reflect.get(property in methods ? methods : target, property),
  })
}
