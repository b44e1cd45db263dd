// What a compiler is given: much of the standard library, and templates to instantiate.
#include <algorithm>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

template <int Number> struct Shape {
  std::map<std::string, std::vector<std::pair<int, std::variant<int, std::string>>>> parts;
  std::unordered_map<int, std::unique_ptr<Shape<Number - 1>>> inner;
  int weigh(const std::string &name) {
    int weight = Number;
    for (auto &[key, values] : parts)
      for (auto &[place, value] : values)
        weight += std::visit([&](auto &one) { return place + int(std::hash<std::decay_t<decltype(one)>>{}(one)); }, value);
    for (auto &[key, shape] : inner)
      if (shape) weight += shape->weigh(name + std::to_string(key));
    return weight;
  }
};
template <> struct Shape<0> {
  int weigh(const std::string &name) { return int(name.size()); }
};

int main(int count, char **arguments) {
  Shape<6> shape;
  std::deque<std::string> names(arguments, arguments + count);
  std::set<std::tuple<int, std::string>> sorted;
  for (auto &name : names) {
    sorted.emplace(int(name.size()), name);
    shape.parts[name].emplace_back(1, name);
  }
  std::vector<double> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0.5);
  std::sort(numbers.begin(), numbers.end(), std::greater<>());
  std::ostringstream text;
  text << std::accumulate(numbers.begin(), numbers.end(), 0.0) << sorted.size() << shape.weigh("all");
  std::cout << text.str() << "\n";
}
