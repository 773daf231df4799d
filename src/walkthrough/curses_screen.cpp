#include <fmt/format.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <optional>

#define NCURSES_NOMACROS    // curses would redefine names such as clear and move
#define NCURSES_WIDECHAR 1  // characters beyond ASCII are read and typed, too
#include <curses.h>
#include <form.h>

#include "support/child_process.hpp"
#include "support/text.hpp"
#include "view/layout.hpp"
#include "walkthrough/screen.hpp"

namespace gemm_tutor {
namespace {

constexpr int control_c = 3, control_d = 4, control_l = 12, control_u = 21, control_z = 26;
constexpr int escape = 27, backspace = 127;
constexpr int milliseconds_a_look = 100;  // at signals, while no key comes

// A key, or a character. One beyond ASCII is the negative of its number, because those of curses'
// own keys are larger than 256. ERR if there is none.
int next_key() {
  wint_t key = 0;
  const int kind = wget_wch(stdscr, &key);
  if (kind == ERR) return ERR;
  return kind == OK && key > backspace ? -static_cast<int>(key) : static_cast<int>(key);
}

bool is_enter(int key) { return key == '\r' || key == '\n' || key == KEY_ENTER; }

// Without colour, only important words are highlighted, no code.
attr_t attribute(Style style, bool color) {
  const Look& look = look_of(style);
  if (!color) return look.bold && style != Style::builtin ? A_BOLD : A_NORMAL;
  attr_t result = look.color == Color::none
                      ? A_NORMAL
                      : static_cast<attr_t>(COLOR_PAIR(static_cast<int>(look.color)));
  if (look.bold) result |= A_BOLD;
  if (look.dim) result |= A_DIM;
  if (look.reversed) result |= A_BOLD | A_REVERSE;
  return result;
}

// The locale of the C library, with which curses writes text.
bool set_up_unicode(bool wanted) {
  if (!wanted) {
    std::setlocale(LC_CTYPE, "C");
    return false;
  }
  for (const char* locale : {"", "C.UTF-8", "en_US.UTF-8"}) {
    if (std::setlocale(LC_CTYPE, locale) && std::string(nl_langinfo(CODESET)) == "UTF-8")
      return true;
  }
  return false;
}

std::string repeated(const std::string& character, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += character;
  return text;
}

// A line being typed.
class InputField {
 public:
  // The cursor is at byte `place` of the text.
  InputField(int row, int column, int width, const std::string& text, std::size_t place)
      : window_(derwin(stdscr, 1, width, row, column)),
        fields_{new_field(1, width, 0, 0, 0, 0), nullptr} {
    field_opts_off(fields_[0], O_STATIC | O_BLANK | O_AUTOSKIP);  // it may scroll
    set_max_field(fields_[0], longest);
    form_ = new_form(fields_);
    set_form_win(form_, stdscr);
    set_form_sub(form_, window_);
    post_form(form_);
    fill(text, place);
  }
  ~InputField() {
    unpost_form(form_);
    free_form(form_);
    free_field(fields_[0]);
    delwin(window_);
  }
  InputField(const InputField&) = delete;

  // False for a key that edits nothing.
  bool take(int key) {
    if (key < -backspace) return type(static_cast<wchar_t>(-key)), true;
    const int request = request_of(key);
    if (!request) return false;
    form_driver(form_, request);
    return true;
  }

  void fill(const std::string& text, std::size_t place) {
    form_driver(form_, REQ_CLR_FIELD);
    for (const CodePoint& one : code_points(text)) type(static_cast<wchar_t>(one.value));
    for (std::size_t i = code_points(text.substr(std::min(place, text.size()))).size(); i > 0; --i)
      form_driver(form_, REQ_PREV_CHAR);
  }

  std::string text() {
    form_driver(form_, REQ_VALIDATION);  // brings what was typed into the buffer
    return std::string(trimmed(field_buffer(fields_[0], 0)));
  }

  void show_cursor() { pos_form_cursor(form_); }

 private:
  static constexpr int longest = 200;

  void type(wchar_t character) {
    const bool has_it = character < backspace || MB_CUR_MAX > 1;  // this terminal
    form_driver_w(form_, OK, has_it ? character : L'?');
  }

  static int request_of(int key) {
    switch (key) {
      case KEY_BACKSPACE:
      case backspace:
      case '\b':
        return REQ_DEL_PREV;
      case KEY_DC:
        return REQ_DEL_CHAR;
      case KEY_LEFT:
        return REQ_PREV_CHAR;
      case KEY_RIGHT:
        return REQ_NEXT_CHAR;
      case KEY_HOME:
        return REQ_BEG_FIELD;
      case KEY_END:
        return REQ_END_FIELD;
      case control_u:
        return REQ_CLR_FIELD;
      default:
        return key >= ' ' && key < backspace ? key : 0;
    }
  }

  WINDOW* window_;
  FIELD* fields_[2];
  FORM* form_;
};

class CursesScreen : public Screen {
 public:
  CursesScreen(SCREEN* screen, bool color, bool unicode) : screen_(screen) {
    terminal_.color = color;
    terminal_.unicode = unicode;
    raw();  // Ctrl-C is read as a key, because it must not end the program while a thread works
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    curs_set(0);
    wtimeout(stdscr, milliseconds_a_look);
    if (color) set_up_colors();
  }
  ~CursesScreen() override {
    endwin();
    delscreen(screen_);
  }

  Input show(const View& view) override {
    view_ = view;
    top_ = 0;
    typed_ = view.typed;
    said_.clear();
    is_typing_ = true;
    recalled_ = history_.size();
    lay_out();
    open_field(view.typed, view.typed_at);
    for (;;) {
      draw();
      const std::optional<int> key = wait_for_key();
      const std::optional<Input> input =
          key ? answer_to(*key) : std::optional(Input{.kind = Input::Kind::changed});
      if (input) {
        field_.reset();
        return *input;
      }
    }
  }

  void lend(const std::function<void()>& job) override {
    def_prog_mode();
    endwin();
    job();
    reset_prog_mode();
    redrawwin(stdscr);
    wrefresh(stdscr);
  }

  bool wait(BackgroundJob& background) override {
    using namespace std::chrono_literals;
    const auto begin = std::chrono::steady_clock::now();
    wtimeout(stdscr, 0);
    while (!background.wait_for(50ms)) {
      if (stops_work(next_key()) || signals_.ending()) background.activity().stop();
      if (std::chrono::steady_clock::now() - begin > unnoticed)
        draw_progress(background.activity());
    }
    wtimeout(stdscr, milliseconds_a_look);
    return background.finish();
  }

 private:
  static void set_up_colors() {
    start_color();
    use_default_colors();
    for (short color = COLOR_RED; color <= COLOR_CYAN; ++color) init_pair(color, color, -1);
  }

  // From the top: the title, a row that is blank unless work goes on behind the page, the body, a
  // row for what else is to be said or asked, the keys.
  static int height() { return getmaxy(stdscr); }
  static int width() { return getmaxx(stdscr); }
  static int body_rows() { return std::max(1, height() - 4); }
  bool has_more() const { return top_ + body_rows() < static_cast<int>(rows_.size()); }

  void scroll_to(int row) {
    const int last_top = std::max(0, static_cast<int>(rows_.size()) - body_rows());
    top_ = std::clamp(row, 0, last_top);
  }

  void lay_out() {
    constexpr int most_columns = 100;  // that read well
    terminal_.width = std::min(width(), most_columns);
    rows_ = rows_of(view_, terminal_);
    scroll_to(top_);
  }

  void open_field(const std::string& text, std::size_t place) {
    field_.reset();
    const int column = columns(view_.prompt) + 2;
    if (view_.prompt.empty() || column + 1 >= width()) return;
    wmove(stdscr, std::max(0, height() - 2), 0);
    wclrtoeol(stdscr);
    field_.emplace(std::max(0, height() - 2), column, width() - column - 1, text, place);
  }

  void resized() {
    lay_out();
    open_field(typed_, typed_.size());
  }

  void draw_line(int row, int column, const Line& line) {
    wmove(stdscr, row, column);
    for (const Span& span : line) {
      wattrset(stdscr, static_cast<int>(attribute(span.style, terminal_.color)));
      waddstr(stdscr, shown(span.text, terminal_).c_str());
    }
    wattrset(stdscr, A_NORMAL);
  }

  // The place is at the right. The title is shortened if needed.
  void draw_title() {
    const int place_column = width() - columns(shown(view_.place, terminal_));
    Line title = {{view_.title, Style::heading}};
    if (const int room = std::max(1, place_column - 2); columns(title) > room) {
      title = wrap(title, room - 1, room).front() + Line{{"…", Style::heading}};
    }
    draw_line(0, 0, title);
    if (place_column > 0) draw_line(0, place_column, {{view_.place, Style::dim}});
  }

  // "running on one CPU thread ████▌      45 %", below the place.
  void draw_behind() {
    if (!view_.behind || height() < 3) return;
    constexpr int cells = 16;
    const Activity::State state = view_.behind->activity().state();
    Line line;
    if (!view_.behind->wait_for(std::chrono::milliseconds(0)) && !state.what.empty()) {
      const auto full = state.all > 0 ? static_cast<int>(cells * state.done / state.all) : 0;
      line = {{state.what + "  ", Style::dim},
              {repeated("█", full), Style::good},
              {repeated("░", cells - full), Style::dim}};
      if (state.all > 0) line.push_back({fmt::format(" {:3} %", 100 * state.done / state.all)});
    }
    wmove(stdscr, 1, 0);
    wclrtoeol(stdscr);
    if (const int column = width() - columns(line); column >= 0) draw_line(1, column, line);
  }

  Line keys_line(int most_minor) const {
    const auto key = [](const std::string& name, const std::string& meaning) {
      return Line{{name, Style::code}, {meaning.empty() ? " " : " " + meaning + "  "}};
    };
    if (is_in_field()) {
      Line line =
          key("Enter", view_.enter) + key("Esc", view_.ends_with_field ? "back" : "other keys");
      return has_more() ? line + key("Page Down", "more") : line;
    }
    Line line;
    if (field_) {
      line = key("Enter", "type");
    } else if (has_more()) {
      line = key("Enter", "more");
    } else if (!view_.enter.empty()) {
      line = key("Enter", view_.enter);
    }
    for (const KeyHelp& help : view_.keys) {
      const bool is_enter = !has_more() && view_.is_enter(help);
      if (help.minor <= most_minor && !is_enter) line = line + key({help.key}, help.meaning);
    }
    return line;
  }

  void draw_keys() {
    int most_minor = std::ranges::max(view_.keys, {}, &KeyHelp::minor).minor;
    while (most_minor > 0 && columns(keys_line(most_minor)) > width() + 1) --most_minor;
    draw_line(height() - 1, 0, keys_line(most_minor));
  }

  // Between the body and the keys.
  void draw_status() {
    const int row = std::max(0, height() - 2);
    if (!said_.empty()) {
      draw_line(row, 0, {{said_, Style::doubtful}});
    } else if (!view_.prompt.empty()) {
      draw_line(row, 0, {{view_.prompt + ":", Style::heading}});
    } else if (has_more() || top_ > 0) {
      const int last = std::min(top_ + body_rows(), static_cast<int>(rows_.size()));
      const std::string rest =
          has_more() ? counted(std::ssize(rows_) - last, "more line") + " below" : "the end";
      draw_line(row, 0, {{fmt::format("… {} · arrow keys scroll", rest), Style::dim}});
    }
  }

  void draw() {
    // The field's own row is curses' form's to draw.
    for (int row = 0; row < height(); ++row) {
      wmove(stdscr, row, 0);
      if (field_ && said_.empty() && row == height() - 2) continue;
      wclrtoeol(stdscr);
    }
    draw_title();
    draw_behind();
    const int end = std::min(top_ + body_rows(), static_cast<int>(rows_.size()));
    for (int i = top_; i < end; ++i) draw_line(2 + i - top_, 0, rows_[static_cast<std::size_t>(i)]);
    draw_status();
    draw_keys();
    curs_set(is_in_field() ? 1 : 0);
    if (is_in_field()) field_->show_cursor();
    wrefresh(stdscr);
  }

  void draw_progress(const Activity& activity) {
    const int row = std::max(0, height() - 2);
    wmove(stdscr, row, 0);
    wclrtoeol(stdscr);
    const std::string what = activity.stopping() ? "stopping" : text_of(activity.state());
    draw_line(row, 0,
              {{what + " …", Style::doubtful},
               {activity.stopping() ? "" : "  (Esc stops it)", Style::dim}});
    wrefresh(stdscr);
  }

  static bool stops_work(int key) {
    return key == escape || key == control_c || key == control_d || key == 'q';
  }

  // Returns ERR if the terminal was closed or a signal ended the program; nothing if View::changed
  // is true.
  std::optional<int> wait_for_key() {
    for (;;) {
      const int key = next_key();
      if (signals_.ending() || signals_.take_interrupted()) return ERR;
      if (key != ERR) return key;
      if (view_.changed && view_.changed()) return std::nullopt;
      if (view_.behind) {
        draw_behind();
        if (is_in_field()) field_->show_cursor();
        wrefresh(stdscr);
      }
      pollfd input{STDIN_FILENO, 0, 0};
      if (poll(&input, 1, 0) > 0 && (input.revents & (POLLHUP | POLLERR | POLLNVAL))) return ERR;
    }
  }

  // Suspends the program as a shell expects it, and continues afterwards.
  void suspend() {
    raise(SIGTSTP);  // curses gives the terminal back, and takes it again
    redrawwin(stdscr);
    resized();
  }

  // Nothing for a key that only moves, edits or means nothing here.
  std::optional<Input> answer_to(int key) {
    if (key == ERR || key == control_c || key == control_d) return Input{};
    if (key == KEY_RESIZE) return resized(), std::nullopt;
    if (key == control_l) return redrawwin(stdscr), std::nullopt;
    if (key == control_z) return suspend(), std::nullopt;
    if (!said_.empty()) {  // the field shows again
      said_.clear();
      open_field(typed_, typed_.size());
    }
    if (is_in_field()) return answer_in_field(key);
    if (scrolls(key)) return {};
    if (field_ && (is_enter(key) || key == '\t')) return is_typing_ = true, std::nullopt;
    if (is_enter(key) || key == ' ') {
      if (has_more()) return scroll_to(top_ + body_rows() - 1), std::nullopt;
      return Input{Input::Kind::key, enter_key};
    }
    return pressed(key);
  }

  bool is_in_field() const { return field_ && is_typing_; }

  std::optional<Input> answer_in_field(int key) {
    if (is_enter(key)) {
      if (typed_.empty()) return Input{Input::Kind::key, enter_key};
      if (history_.empty() || history_.back() != typed_) history_.push_back(typed_);
      return Input{Input::Kind::line, '\0', typed_};
    }
    if (key == escape) {
      if (view_.ends_with_field) return pressed(key);
      is_typing_ = false;
    } else if (key == KEY_UP || key == KEY_DOWN) {
      recall(key == KEY_UP);
    } else if (!scrolls(key) && field_->take(key)) {
      typed_ = field_->text();
    }
    return {};
  }

  // An earlier line, or a later one.
  void recall(bool earlier) {
    if (earlier ? recalled_ == 0 : recalled_ >= history_.size()) return;
    recalled_ += earlier ? -1 : 1;
    typed_ = recalled_ < history_.size() ? history_[recalled_] : "";
    field_->fill(typed_, typed_.size());
  }

  std::optional<Input> pressed(int key) {
    if (key == escape) key = 'p';
    for (const KeyHelp& help : view_.keys) {
      if (help.key == key) return Input{Input::Kind::key, help.key};
    }
    const bool is_character = key > ' ' && key < backspace;
    if (is_character && view_.about) said_ = view_.about(static_cast<char>(key));
    return {};
  }

  bool scrolls(int key) {
    switch (key) {
      case KEY_DOWN:
        scroll_to(top_ + 1);
        return true;
      case KEY_UP:
        scroll_to(top_ - 1);
        return true;
      case KEY_NPAGE:
        scroll_to(top_ + body_rows() - 1);
        return true;
      case KEY_PPAGE:
        scroll_to(top_ - body_rows() + 1);
        return true;
      case KEY_HOME:
        if (is_in_field()) return false;
        scroll_to(0);
        return true;
      case KEY_END:
        if (is_in_field()) return false;
        scroll_to(static_cast<int>(rows_.size()));
        return true;
      default:
        return false;
    }
  }

  SCREEN* screen_;
  Terminal terminal_;
  View view_;
  std::vector<Line> rows_;  // of the body
  int top_ = 0;             // the first of them that shows
  std::optional<InputField> field_;
  bool is_typing_ = true;  // false once Esc has left the field
  // In the field, when the terminal's size changed: it may have no room for one.
  std::string typed_;
  std::vector<std::string> history_;  // of lines
  std::size_t recalled_ = 0;          // which of them is in the field; its size for none
  std::string said_;                  // of a key that means nothing here
  SignalWatch signals_;
};

}  // namespace

std::unique_ptr<Screen> curses_screen(ColorChoice color) {
  const Terminal terminal = detect_terminal(STDOUT_FILENO, color);
  const bool unicode = set_up_unicode(terminal.unicode);
  set_escdelay(25);
  // A packed program brings descriptions of terminals, for systems that have none.
  const std::filesystem::path packed =
      program_path().parent_path().parent_path() / "share/terminfo";
  std::error_code ignored;
  if (std::filesystem::exists(packed / "x", ignored)) {
    // The empty entry is the system's own folders.
    setenv("TERMINFO_DIRS",
           (":/etc/terminfo:/lib/terminfo:/usr/share/terminfo:" + packed.string()).c_str(), 0);
  }
  SCREEN* screen = newterm(nullptr, stdout, stdin);
  if (!screen) return nullptr;
  if (!tigetstr("cup")) {  // it cannot place the cursor
    endwin();
    delscreen(screen);
    return nullptr;
  }
  return std::make_unique<CursesScreen>(screen, terminal.color && has_colors(), unicode);
}

}  // namespace gemm_tutor
